// Tells what others have done, and keeps what one is writing. The pages work without it.
"use strict";

(() => {
  // News: asked for every few seconds while the page is seen; nothing on the page is touched.

  const news = document.getElementById("news");

  function tell(words) {
    if (news.dataset.told === words) return;
    news.dataset.told = words;
    const counted = /^\d/.test(words);
    const link = document.createElement("a");
    link.href = counted ? news.dataset.here : news.dataset.home;
    link.textContent = counted ? "Show them" : "Go on";
    news.replaceChildren(document.createTextNode(`${words}.`), link);
  }

  const writing = () => [...document.querySelectorAll("textarea:not([readonly]), input[type=text]")]
    .some((field) => field.value !== field.defaultValue || field === document.activeElement);

  async function ask() {
    if (document.hidden) return;
    let words = "";
    try {
      const response = await fetch(news.dataset.news, {
        headers: { "Accept": "application/json" },
        redirect: "error",
      });
      if (!response.ok) return;
      words = (await response.json()).news;
    } catch {
      return; // it is asked again
    }
    if (!words) return;
    if ("reload" in news.dataset && !writing()) location.reload();
    else tell(words);
  }

  if (news) {
    setInterval(ask, 4000);
    document.addEventListener("visibilitychange", ask);
  }

  // Drafts: kept in this tab until the server says that they have arrived.

  const kept = new URLSearchParams(location.search).get("kept");
  if (kept) history.replaceState(null, "", location.pathname + location.hash);

  const FIELDS = "textarea:not([readonly]), input[type=text], input[type=checkbox], input[type=radio], select";
  const valueOf = (field) => (["checkbox", "radio"].includes(field.type) ? field.checked : field.value);
  const named = (form) => [...form.querySelectorAll(FIELDS)]
    .map((field) => [field.type === "radio" ? `${field.name}=${field.value}` : field.name, field]);

  function restore(form, draft) {
    for (const [name, field] of named(form)) {
      if (!(name in draft.fields)) continue;
      if (["checkbox", "radio"].includes(field.type)) field.checked = draft.fields[name];
      else field.value = draft.fields[name];
    }
    form.elements.once.value = draft.once;
    const note = document.createElement("p");
    note.className = "draft";
    note.textContent = "What you had written before is here again.";
    form.querySelector("textarea, input[type=text]").after(note);
    form.closest("details")?.setAttribute("open", "");
  }

  for (const form of document.querySelectorAll("form[data-draft]")) {
    const place = `covary:${form.elements.token.value.slice(0, 8)}:${form.dataset.draft}`;
    let draft = null;
    try {
      draft = JSON.parse(sessionStorage.getItem(place));
    } catch { /* a draft that cannot be read is none */ }
    const keep = () => {
      const fields = Object.fromEntries(named(form).map(([name, field]) => [name, valueOf(field)]));
      try {
        sessionStorage.setItem(place, JSON.stringify({ once: form.elements.once.value, fields }));
      } catch { /* a browser that keeps nothing keeps no drafts */ }
    };
    if (draft && draft.once === kept) sessionStorage.removeItem(place);
    else if ("held" in form.dataset) keep(); // it came back with what was sent
    else if (draft) restore(form, draft);
    form.addEventListener("input", keep);
  }
})();
