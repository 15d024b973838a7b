// Saves each answer as it is given, and again with Next. Everything else works without it.
// What was not acknowledged yet is kept in this browser, under its judge, and sent again.
"use strict";

(() => {
  const form = document.getElementById("item");
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
  for (const time of document.querySelectorAll("time[datetime]")) {
    time.textContent = new Date(time.dateTime).toLocaleString(document.documentElement.lang, {
      dateStyle: "long", timeStyle: "short",
    });
  }

  // A formula that is wider than its line scrolls, by keyboard too.
  function reachWide() {
    for (const box of document.querySelectorAll(".formula, .unbroken")) {
      box.toggleAttribute("tabindex", box.scrollWidth > box.clientWidth && box.clientWidth > 0);
      if (box.hasAttribute("tabindex")) box.tabIndex = 0;
    }
  }
  reachWide();
  window.addEventListener("resize", reachWide);
  if (!form) return;

  const state = document.getElementById("state");
  const field = (name) => form.elements.namedItem(name);
  const scales = [...form.querySelectorAll("fieldset[data-criterion]")];
  const waiting = new Map(); // place and criterion: the newest answer that is not saved yet

  // The page of a dialogue has a place for each turn that is judged, any other page has one.
  const turns = [...form.querySelectorAll("[data-turn]")];
  const places = turns.length > 0 ? turns.map((turn) => `.${turn.dataset.turn}`) : [""];
  const placeOf = (scale) => {
    const turn = scale.closest("[data-turn]");
    return turn ? `.${turn.dataset.turn}` : "";
  };
  const sequences = new Map(places.map((place) => [place, 0]));
  const spent = new Map(places.map((place) => [place, 0]));
  let answeredAt = 0;
  let sending = false;
  let under = null; // settles when the answer that is under way has arrived, or cannot
  let leaving = false;
  let attempts = 0;
  let timer = 0;
  let retry = null; // what is tried again when the network is back

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

  // A turn takes the time since an answer to another turn: all turns together, the time on the page.
  function secondsAt(place) {
    if (turns.length === 0) return seconds();
    const now = seconds();
    spent.set(place, Math.round(1000 * (spent.get(place) + now - answeredAt)) / 1000);
    answeredAt = now;
    return spent.get(place);
  }

  function counted(place) {
    sequences.set(place, sequences.get(place) + 1);
    return sequences.get(place);
  }

  const words = JSON.parse(form.dataset.words); // English: the language of the page
  const SAVED = words["Saved"];
  const OFFLINE = words["Your answers cannot be saved at the moment. Leave this page open: they are kept here and sent as soon as the connection is back."];
  const GONE = {
    403: words["Your link is no longer valid here, so nothing more can be saved. Please open your link again."],
    409: words["This can no longer be changed. Reload the page to go on where you are now."],
  };
  const PAUSED = words["The study is paused. Your answers are kept in this browser and sent when it goes on."];
  const LACKING = words["Please answer what is marked before you go on."];
  const REFUSED = words["This answer was not accepted. Reload the page and try again."];

  function say(words, trouble = false) {
    if (state.textContent !== words) state.textContent = words;
    state.classList.toggle("trouble", trouble);
  }

  function mark(scale, lacking) {
    scale.querySelector(".needed").hidden = !lacking;
    scale.classList.toggle("lacking", lacking);
  }

  // Kept in this browser until the server has acknowledged it: after Next, a reload, a killed tab.

  const own = `covary:${field("token").value.slice(0, 16)}`;
  const page = field(`page${places[0]}`).value;

  function kept() {
    try {
      return JSON.parse(localStorage.getItem(own)) ?? [];
    } catch {
      return [];
    }
  }

  function rewrite(records) {
    try {
      if (records.length > 0) localStorage.setItem(own, JSON.stringify(records));
      else localStorage.removeItem(own);
    } catch { /* a browser that keeps nothing still sends */ }
  }

  const drop = (gone) => rewrite(kept().filter((record) => !gone(record)));
  const keep = (record) => rewrite([...kept().filter((other) => other.id !== record.id), record]);

  const unheard = (response) => response === null || response.status >= 500 || response.status === 429;

  async function isPaused(response) {
    if (response.status !== 409) return false;
    try {
      return (await response.clone().json()).code === "web.paused";
    } catch {
      return false;
    }
  }

  // What an earlier page could not send goes first; answers of this page are newer.
  async function sendKept() {
    let here = false;
    let onward = null;
    for (const record of kept().filter((other) => other.page !== page)) {
      const response = await post(record.address, record.type, record.body);
      if (unheard(response) || response.status === 403 || (await isPaused(response))) {
        setTimeout(sendKept, 5000);
        return;
      }
      drop((other) => other.id === record.id);
      here ||= places.some((place) => record.position === field(`position${place}`).value);
      if (response.ok && record.onward) onward = (await response.json()).next;
    }
    if (leaving || waiting.size > 0) return;
    if (onward !== null) location.assign(onward);
    else if (here) location.reload();
  }

  // Sending: one request at a time, the newest answer of each criterion, again until it arrives.

  function changed(scale, answer) {
    const place = placeOf(scale);
    const sequence = counted(place);
    followUp();
    mark(scale, false);
    if (!form.querySelector(".lacking") && state.textContent === LACKING) say("");
    const criterion = scale.dataset.criterion;
    const position = field(`position${place}`).value;
    const load = field(`page${place}`).value;
    const record = {
      id: `${load}.${sequence}`,
      page,
      position,
      criterion,
      address: form.dataset.saves || "/judge/answer",
      type: "application/json",
      body: JSON.stringify({
        position: Number(position),
        criterion,
        rating: answer.rating ?? null,
        cannot_judge: answer.cannot_judge,
        reason: answer.reason,
        passages: marked(scale),
        touched: true,
        page: load,
        sequence,
        key: `${load}.${sequence}`,
        seconds: secondsAt(place),
      }),
    };
    drop((other) => other.position === position && other.criterion === criterion);
    keep(record);
    waiting.set(`${position} ${criterion}`, record);
    attempts = 0;
    send();
  }

  async function send() {
    if (sending || leaving || waiting.size === 0) return;
    sending = true;
    clearTimeout(timer);
    const [what, answer] = waiting.entries().next().value;
    if (!state.classList.contains("trouble")) say(words["Saving …"]);
    under = post(answer.address, answer.type, answer.body);
    const response = await under;
    sending = false;
    if (response?.ok) drop((other) => other.id === answer.id);
    if (leaving) return;
    if (unheard(response)) {
      say(OFFLINE, true);
      again(send);
    } else if (await isPaused(response)) {
      say(PAUSED, true);
      again(send);
    } else if (!response.ok) {
      waiting.clear();
      if (response.status !== 403) drop((other) => other.page === page);
      say(GONE[response.status] || REFUSED, true);
    } else {
      attempts = 0;
      if (waiting.get(what) === answer) waiting.delete(what);
      if (waiting.size === 0 && state.textContent !== LACKING) say(SAVED);
      send();
    }
  }

  function again(work) {
    clearTimeout(timer);
    retry = work;
    timer = setTimeout(work, Math.min(10000, 1000 * 2 ** attempts));
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
    if (leaving || "view" in form.dataset) return;
    const lacking = scales.filter((scale) => !scale.hidden && !("optional" in scale.dataset) && !answered(scale));
    for (const scale of scales) mark(scale, lacking.includes(scale));
    if (lacking.length > 0) {
      say(LACKING, true);
      lacking[0].querySelector("input, textarea").focus();
      return;
    }
    leaving = true;
    clearTimeout(timer);
    if (form.dataset.saves) await under; // in training the last answer that arrives counts
    for (const place of places) {
      field(`sequence${place}`).value = counted(place);
      field(`seconds${place}`).value = turns.length > 0 ? spent.get(place) : seconds();
    }
    await go(new URLSearchParams(new FormData(form)).toString());
  }

  async function go(body) {
    const address = form.getAttribute("action");
    const type = "application/x-www-form-urlencoded";
    keep({ id: `${page}.next`, page, position: field(`position${places[0]}`).value, address, type, body, onward: true });
    const response = await post(address, type, body);
    if (unheard(response)) {
      say(OFFLINE, true);
      again(() => go(body));
    } else if (await isPaused(response)) {
      say(PAUSED, true);
      again(() => go(body));
    } else if (response.ok) {
      drop((other) => other.page === page);
      location.assign((await response.json()).next);
    } else if (response.status === 409 || response.status === 422) {
      drop((other) => other.page === page);
      location.assign(form.dataset.home || "/judge");
    } else {
      leaving = false;
      say(GONE[response.status] || REFUSED, true);
    }
  }

  window.addEventListener("online", () => {
    attempts = 0;
    clearTimeout(timer);
    (retry ?? send)();
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
    if (cannotOf(scale)?.checked) return true;
    const line = scale.querySelector("input[type=range]");
    const typed = scale.querySelector(".typed input, .typed textarea");
    if (typed) return typed.value.trim() !== "";
    if (scale.classList.contains("best-worst")) return bestAndWorst(scale) !== null;
    return line ? placed(line) : scale.querySelector(".choices input:checked") !== null;
  }

  // The texts that were chosen as the best and the worst; null while they are not two.
  function bestAndWorst(scale) {
    const [best, worst] = [...scale.querySelectorAll(".choices")].map((group) => group.querySelector("input:checked")?.value);
    return best && worst && best !== worst ? { best, worst } : null;
  }

  const cannotOf = (scale) => scale.querySelector(".cannot [type=checkbox]");

  // A follow-up is seen where the answer that it follows is one of those that it waits for.

  const markOf = (scale) => {
    const choice = scale?.querySelector(".choices input:checked") ?? scale?.querySelector(".typed input");
    return scale && !scale.hidden && !cannotOf(scale)?.checked ? choice?.value : undefined;
  };

  function followUp() {
    for (const scale of scales.filter((each) => each.dataset.when)) {
      const [criterion, answers] = JSON.parse(scale.dataset.when);
      const earlier = scales.find((each) => each.dataset.criterion === criterion && placeOf(each) === placeOf(scale));
      scale.hidden = !answers.includes(markOf(earlier));
      for (const input of scale.querySelectorAll("input, textarea")) input.disabled = scale.hidden;
    }
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
    const onward = document.documentElement.dir === "rtl" && !scale.classList.contains("upright") ? -1 : 1;
    const steps = {
      ArrowLeft: -onward, ArrowDown: -1, ArrowRight: onward, ArrowUp: 1, PageDown: -10, PageUp: 10,
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

  // Words and numbers are saved when the judge stops typing for a moment, and with the field left.
  function readTyped(scale, input) {
    let last = input.value.trim();
    let pause = 0;
    const save = () => {
      clearTimeout(pause);
      const rating = input.value.trim();
      if (rating === last || rating === "" || !input.checkValidity()) return;
      last = rating;
      changed(scale, { rating });
    };
    input.addEventListener("input", () => {
      clearTimeout(pause);
      pause = setTimeout(save, 1200);
      mark(scale, false);
    });
    input.addEventListener("change", save);
  }

  function readSeveral(scale) {
    const boxes = [...scale.querySelectorAll(".choices [type=checkbox]")];
    scale.querySelector(".choices").addEventListener("change", () => {
      const rating = boxes.flatMap((box, place) => (box.checked ? [place] : []));
      if (rating.length > 0) changed(scale, { rating });
    });
  }

  function readBestWorst(scale) {
    for (const group of scale.querySelectorAll(".choices")) readDigits(group);
    scale.addEventListener("change", (event) => {
      if (!event.target.closest(".choices")) return;
      const rating = bestAndWorst(scale);
      if (rating) changed(scale, { rating });
      else if (scale.querySelectorAll(".choices input:checked").length === 2) mark(scale, true);
    });
  }

  // To say that one cannot judge takes the answer back, and an answer takes that back.
  function readCannot(scale, box) {
    const reason = scale.querySelector(".cannot [type=text]");
    const save = () => changed(scale, { cannot_judge: true, reason: reason.value });
    box.addEventListener("change", () => {
      if (!box.checked) return;
      for (const choice of scale.querySelectorAll(".choices input:checked")) choice.checked = false;
      save();
    });
    reason.addEventListener("change", () => box.checked && save());
    for (const part of scale.querySelectorAll(".choices, .ruled, .typed")) {
      part.addEventListener("input", () => { box.checked = false; });
    }
  }

  function readChoices(scale) {
    scale.querySelector(".choices").addEventListener("change", (event) => changed(scale, { rating: event.target.value }));
    readDigits(scale);
  }

  function readDigits(group) {
    const choices = [...group.querySelectorAll("input[type=radio]")];
    group.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const chosen = choices.find((choice) => choice.value === event.key);
      if (!chosen || chosen.checked) return;
      chosen.focus();
      chosen.click();
    });
  }

  // Words in the text that are the reason for a rating, kept as their places in the text.

  const reasons = (scale) => scale.querySelector(".passages [type=hidden]");
  const marked = (scale) => JSON.parse(reasons(scale)?.value || "[]");
  const letters = (text) => [...text].length;
  const textOf = (where) => document.querySelector(`[data-where="${where}"]`);
  let selected = null; // what was last selected within one text

  function passageOf(range) {
    const inside = range.startContainer;
    const text = (inside.nodeType === 1 ? inside : inside.parentElement).closest("[data-where]");
    if (!text || range.collapsed) return null;
    const cut = range.cloneRange();
    if (!text.contains(range.endContainer)) cut.setEnd(text, text.childNodes.length);
    const before = document.createRange();
    before.setStart(text, 0);
    before.setEnd(cut.startContainer, cut.startOffset);
    const words = cut.toString();
    const quote = words.trim();
    const start = letters(before.toString()) + letters(words) - letters(words.trimStart());
    return quote ? [text.dataset.where, start, start + letters(quote), quote] : null;
  }

  function rangeOf([where, start, end]) {
    const range = document.createRange();
    const walk = document.createTreeWalker(textOf(where), NodeFilter.SHOW_TEXT);
    let past = 0;
    while (walk.nextNode()) {
      const own = [...walk.currentNode.data];
      const at = (place) => own.slice(0, place - past).join("").length;
      if (start >= past && start < past + own.length) range.setStart(walk.currentNode, at(start));
      if (end > past && end <= past + own.length) range.setEnd(walk.currentNode, at(end));
      past += own.length;
    }
    return range;
  }

  function showReasons() {
    for (const scale of scales.filter(reasons)) {
      const rows = marked(scale).map((passage) => {
        const row = document.createElement("li");
        const quote = document.createElement("q");
        const gone = document.createElement("button");
        quote.textContent = passage[3];
        quote.dir = "auto";
        gone.type = "button";
        gone.className = "plain";
        gone.textContent = words["Remove"];
        gone.addEventListener("click", () => {
          setReasons(scale, marked(scale).filter((other) => String(other) !== String(passage)));
        });
        row.append(quote, " ", gone);
        return row;
      });
      scale.querySelector(".passages ul").replaceChildren(...rows);
    }
    if (!window.Highlight) return;
    CSS.highlights.set("reason", new Highlight(...scales.flatMap(marked).map(rangeOf)));
  }

  function setReasons(scale, passages) {
    reasons(scale).value = JSON.stringify(passages);
    showReasons();
    const rating = ratingOf(scale);
    if (rating !== null) changed(scale, { rating });
  }

  function ratingOf(scale) {
    if (!answered(scale) || cannotOf(scale)?.checked) return null;
    const line = scale.querySelector("input[type=range]");
    const typed = scale.querySelector(".typed input, .typed textarea");
    if (line) return Number(line.value);
    if (typed) return typed.value.trim();
    if (scale.classList.contains("best-worst")) return bestAndWorst(scale);
    if (!scale.classList.contains("several")) return scale.querySelector(".choices input:checked").value;
    const boxes = [...scale.querySelectorAll(".choices [type=checkbox]")];
    return boxes.flatMap((box, place) => (box.checked ? [place] : []));
  }

  function readReasons(scale) {
    const button = scale.querySelector(".passages > button");
    scale.querySelector(".passages").hidden = !document.querySelector("[data-where]");
    button.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the selection
    button.addEventListener("click", () => {
      if (!selected || marked(scale).some((other) => String(other) === String(selected))) return;
      setReasons(scale, [...marked(scale), selected]);
      getSelection().removeAllRanges();
      selected = null;
    });
  }

  document.addEventListener("selectionchange", () => {
    const selection = getSelection();
    if (selection.rangeCount > 0 && !selection.isCollapsed) {
      selected = passageOf(selection.getRangeAt(0)) ?? selected;
    }
  });

  for (const scale of scales) {
    const line = scale.querySelector("input[type=range]");
    const typed = scale.querySelector(".typed input, .typed textarea");
    if (line) readLine(scale, line);
    else if (typed) readTyped(scale, typed);
    else if (scale.classList.contains("several")) readSeveral(scale);
    else if (scale.classList.contains("best-worst")) readBestWorst(scale);
    else readChoices(scale);
    if (cannotOf(scale)) readCannot(scale, cannotOf(scale));
    if (reasons(scale)) readReasons(scale);
  }
  showReasons();
  followUp();
  sendKept();

  // Digits answer the question that is marked: the one with the focus, or the first without an answer.

  const open = () => scales.find((scale) => !scale.hidden && !answered(scale));

  // The marks that a digit chooses from: of the best and the worst, those of which none is chosen.
  function groupOf(scale) {
    const groups = [...(scale?.querySelectorAll(".choices") ?? [])];
    const group = groups.find((each) => !each.querySelector("input:checked")) ?? groups.at(-1);
    return [...(group?.querySelectorAll("input[type=radio]") ?? [])];
  }

  function markCurrent() {
    const focused = document.activeElement.closest?.("fieldset[data-criterion]");
    const current = focused ?? open();
    for (const scale of scales) scale.classList.toggle("current", scale === current);
  }

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, button, a, summary");
    if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter") {
      event.preventDefault();
      leave();
      return;
    }
    if (event.key === "?") {
      const help = form.querySelector(".keys");
      help.open = !help.open;
      if (help.open) help.scrollIntoView({ block: "nearest" });
      return;
    }
    const choices = groupOf(open());
    const numbered = choices.some((choice) => /^\d$/.test(choice.value));
    const chosen = choices.find((choice, place) => (numbered ? choice.value : String(place + 1)) === event.key);
    if (!chosen) return;
    chosen.click();
    open()?.scrollIntoView({ block: "nearest" });
  });
  for (const kind of ["focusin", "focusout", "change", "input"]) {
    document.addEventListener(kind, () => setTimeout(markCurrent));
  }
  markCurrent();

  // A long conversation begins with the turn that is judged in sight.

  const turn = turns.length > 0 ? null : document.querySelector(".turn.now");
  if (turn && turn.getBoundingClientRect().top > innerHeight / 2) turn.scrollIntoView({ block: "center" });
})();
