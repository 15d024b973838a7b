// Renews the numbers, copies links, and keeps previews to themselves. The pages work without it.
"use strict";

(() => {
  const news = document.getElementById("news");

  // The numbers, every ten seconds while they are seen and nobody is busy in them.

  const live = document.getElementById("live");
  const freshness = document.getElementById("freshness");

  function busy() {
    const selection = getSelection();
    return live.contains(document.activeElement)
      || (!selection.isCollapsed && live.contains(selection.anchorNode));
  }

  async function renew() {
    if (document.hidden || busy()) return;
    let response = null;
    try {
      response = await fetch(live.dataset.from, { redirect: "error" });
    } catch {
      freshness.textContent = "The server cannot be reached at the moment.";
      return;
    }
    if (response.status === 403) {
      freshness.textContent = "You are signed out: reload the page.";
      clearInterval(timer);
    } else if (response.ok && !busy()) {
      const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
      const boxes = [...live.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
      live.replaceChildren(...fresh.body.childNodes);
      live.querySelectorAll(".scroll").forEach((box, place) => { box.scrollLeft = boxes[place] || 0; });
      freshness.textContent = "";
      const words = live.querySelector("[data-news]").dataset.news;
      if (news.textContent !== words) news.textContent = words; // spoken only when it changes
    }
  }

  const timer = live && setInterval(renew, 10000);
  if (live) {
    news.textContent = live.querySelector("[data-news]").dataset.news;
    document.addEventListener("visibilitychange", renew);
  }

  // Links to copy.

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      news.textContent = "Copied.";
    } catch {
      news.textContent = "The browser does not allow copying here. Select the link instead.";
    }
  }

  for (const button of document.querySelectorAll("[data-copy]")) {
    const rows = () => [...document.querySelectorAll(".links tbody tr")]
      .map((row) => `${row.cells[0].textContent}\t${row.cells[1].textContent}`);
    button.hidden = false;
    button.addEventListener("click", () => {
      copy(button.dataset.copy === "all" ? rows().join("\n") : button.dataset.copy);
    });
  }

  // A report that is being made.

  if (document.querySelector("[data-again]")) setTimeout(() => location.reload(), 3000);

  // In a preview nothing is sent: the page's own script is answered here.

  const preview = document.querySelector("[data-onward]");
  if (preview) {
    window.fetch = async () => new Response(
      JSON.stringify({ saved: true, next: preview.dataset.onward }),
      { headers: { "Content-Type": "application/json" } },
    );
    const state = document.getElementById("state");
    if (state) {
      const saved = JSON.parse(state.closest("form").dataset.words)["Saved"];
      new MutationObserver(() => {
        if (state.textContent === saved) state.textContent = "Preview: not saved";
      }).observe(state, { childList: true });
    }
  }
})();
