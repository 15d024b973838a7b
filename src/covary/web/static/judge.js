// Saves each answer as it is given, and again with Next. Everything else works without it.
"use strict";

(() => {
  const form = document.getElementById("item");
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
  if (!form) return;

  const state = document.getElementById("state");
  const field = (name) => form.elements.namedItem(name);
  const scales = [...form.querySelectorAll("fieldset[data-criterion]")];
  const waiting = new Map(); // criterion: the newest answer that is not saved yet
  let sequence = 0;
  let sending = false;
  let under = null; // settles when the answer that is under way has arrived, or cannot
  let leaving = false;
  let attempts = 0;
  let timer = 0;

  // Time on the page, without the time in which it was out of sight.
  let seen = 0;
  let since = document.hidden ? null : performance.now();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && since !== null) {
      seen += performance.now() - since;
      since = null;
    } else if (!document.hidden && since === null) {
      since = performance.now();
    }
  });
  const seconds = () => Math.round(seen + (since === null ? 0 : performance.now() - since)) / 1000;

  const SAVED = "Saved";
  const OFFLINE =
    "Your answers cannot be saved at the moment. Leave this page open: they are kept here and sent as soon as the connection is back.";
  const GONE = {
    403: "Your link is no longer valid here, so nothing more can be saved. Please open your link again.",
    409: "This can no longer be changed. Reload the page to go on where you are now.",
  };
  const LACKING = "Please answer what is marked before you go on.";
  const REFUSED = "This answer was not accepted. Reload the page and try again.";

  function say(words, trouble = false) {
    if (state.textContent !== words) state.textContent = words;
    state.classList.toggle("trouble", trouble);
  }

  function mark(scale, lacking) {
    scale.querySelector(".needed").hidden = !lacking;
    scale.classList.toggle("lacking", lacking);
  }

  // Sending: one request at a time, the newest answer of each criterion, again until it arrives.

  function changed(scale, answer) {
    sequence += 1;
    mark(scale, false);
    if (!form.querySelector(".lacking") && state.textContent === LACKING) say("");
    waiting.set(scale.dataset.criterion, { ...answer, sequence });
    attempts = 0;
    send();
  }

  async function send() {
    if (sending || leaving || waiting.size === 0) return;
    sending = true;
    clearTimeout(timer);
    const [criterion, answer] = waiting.entries().next().value;
    if (!state.classList.contains("trouble")) say("Saving …");
    under = post(form.dataset.saves || "/judge/answer", "application/json", JSON.stringify({
      position: Number(field("position").value),
      criterion,
      rating: answer.rating,
      touched: true,
      page: field("page").value,
      sequence: answer.sequence,
      key: `${field("page").value}.${answer.sequence}`,
      seconds: seconds(),
    }));
    const response = await under;
    sending = false;
    if (leaving) return;
    if (response === null || response.status >= 500 || response.status === 429) {
      say(OFFLINE, true);
      again(send);
    } else if (!response.ok) {
      waiting.clear();
      say(GONE[response.status] || REFUSED, true);
    } else {
      attempts = 0;
      if (waiting.get(criterion) === answer) waiting.delete(criterion);
      if (waiting.size === 0 && state.textContent !== LACKING) say(SAVED);
      send();
    }
  }

  function again(work) {
    clearTimeout(timer);
    timer = setTimeout(work, Math.min(30000, 1000 * 2 ** attempts));
    attempts += 1;
  }

  async function post(address, type, body) {
    const quitting = new AbortController();
    const patience = setTimeout(() => quitting.abort(), 20000);
    try {
      return await fetch(address, {
        method: "POST",
        headers: {
          "Accept": "application/json",
          "Content-Type": type,
          "X-Covary-Token": field("token").value,
        },
        body,
        keepalive: true,
        redirect: "error",
        signal: quitting.signal,
      });
    } catch {
      return null;
    } finally {
      clearTimeout(patience);
    }
  }

  // Next sends every answer of the page once more, so that none can be lost on the way.

  async function leave() {
    if (leaving) return;
    const lacking = scales.filter((scale) => !answered(scale));
    for (const scale of scales) mark(scale, lacking.includes(scale));
    if (lacking.length > 0) {
      say(LACKING, true);
      lacking[0].querySelector("input").focus();
      return;
    }
    leaving = true;
    clearTimeout(timer);
    if (form.dataset.saves) await under; // in training the last answer that arrives counts
    sequence += 1;
    field("sequence").value = sequence;
    field("seconds").value = seconds();
    await go(new URLSearchParams(new FormData(form)).toString());
  }

  async function go(body) {
    const response = await post(form.getAttribute("action"), "application/x-www-form-urlencoded", body);
    if (response === null || response.status >= 500 || response.status === 429) {
      say(OFFLINE, true);
      again(() => go(body));
    } else if (response.ok) {
      location.assign((await response.json()).next);
    } else if (response.status === 409 || response.status === 422) {
      location.assign(form.dataset.home || "/judge");
    } else {
      leaving = false;
      say(GONE[response.status] || REFUSED, true);
    }
  }

  window.addEventListener("online", () => {
    attempts = 0;
    send();
  });
  window.addEventListener("beforeunload", (event) => {
    if (waiting.size > 0 && !leaving && state.classList.contains("trouble")) event.preventDefault();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    leave();
  });

  // The scales.

  function answered(scale) {
    const line = scale.querySelector("input[type=range]");
    return line ? placed(line) : scale.querySelector("input:checked") !== null;
  }

  const touch = (line) => field(line.name.replace("rating", "touched"));
  const placed = (line) => touch(line).value === "1";

  function place(line) {
    touch(line).value = "1";
    line.removeAttribute("aria-valuetext");
    line.closest("fieldset").classList.add("placed");
  }

  function readLine(scale, line) {
    const length = line.max - line.min;
    const steps = {
      ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10,
      Home: -100, End: 100,
    };
    let last = placed(line) ? line.value : null;
    const save = () => {
      place(line);
      if (line.value === last) return;
      last = line.value;
      changed(scale, { rating: Number(line.value) });
    };
    if (placed(line)) scale.classList.add("placed");
    line.addEventListener("input", () => place(line));
    line.addEventListener("change", save);
    line.addEventListener("pointerup", save); // to touch the pointer where it stands is an answer
    line.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key in steps) {
        line.value = Number(line.value) + (steps[event.key] * length) / 100;
        save();
      } else if (event.key === " " || (event.key === "Enter" && !placed(line))) {
        save();
      } else {
        return;
      }
      event.preventDefault();
    });
    for (const mark of scale.querySelectorAll("[data-at]")) {
      mark.style.setProperty("--at", mark.dataset.at / 100);
    }
  }

  function readChoices(scale) {
    const choices = [...scale.querySelectorAll("input[type=radio]")];
    scale.addEventListener("change", (event) => changed(scale, { rating: event.target.value }));
    scale.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const chosen = choices.find((choice) => choice.value === event.key);
      if (!chosen || chosen.checked) return;
      chosen.focus();
      chosen.click();
    });
  }

  for (const scale of scales) {
    const line = scale.querySelector("input[type=range]");
    if (line) readLine(scale, line);
    else readChoices(scale);
  }
})();
