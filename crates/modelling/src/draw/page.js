"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const patterns = all("details.p");
  const now = document.querySelector(".now");
  const wide = matchMedia("(min-width: 901px)");

  const clear = () => {
    document.body.classList.remove("picked");
    all(".hit, .seen, .changed, .read, .written").forEach((one) => one.classList.remove("hit", "seen", "changed", "read", "written"));
    now.replaceChildren();
  };

  const mark = (row, name) => {
    row.classList.add(name);
    const box = row.closest(".box");
    box.classList.add("hit", name === "read" ? "seen" : "changed");
    for (let more = row.closest("details.more"); more; more = more.parentElement.closest("details.more")) more.open = true;
  };

  const say = (pattern) => {
    const title = document.createElement("b");
    title.textContent = pattern.querySelector(".id").textContent + " " + pattern.querySelector(".name").textContent;
    const how = document.createElement("span");
    how.className = "how";
    how.textContent = pattern.dataset.how;
    const back = document.createElement("button");
    back.type = "button";
    back.textContent = wide.matches ? "Clear" : "Back to the pattern";
    back.addEventListener("click", () => {
      const summary = pattern.querySelector("summary");
      if (wide.matches) pattern.open = false;
      else summary.scrollIntoView({ block: "start" });
      summary.focus({ preventScroll: true });
    });
    now.replaceChildren(title, how, back);
  };

  const show = (pattern) => {
    clear();
    const at = pattern.dataset.p;
    const read = all(`.row[data-r~="${at}"]`);
    const written = all(`.row[data-w~="${at}"]`);
    const boxes = all(`.box[data-r~="${at}"]`);
    read.forEach((row) => mark(row, "read"));
    written.forEach((row) => mark(row, "written"));
    boxes.forEach((box) => box.classList.add("hit", "seen"));
    if (read.length + written.length + boxes.length > 0) document.body.classList.add("picked");
    say(pattern);
    const box = first(pattern);
    if (box && wide.matches) box.scrollIntoView({ block: box.offsetHeight > innerHeight * 0.7 ? "start" : "center" });
  };

  const first = (pattern) => {
    const at = pattern.dataset.p;
    const one = document.querySelector(`.row[data-r~="${at}"], .row[data-w~="${at}"], .box[data-r~="${at}"]`);
    return one && one.closest(".box");
  };

  all("a.where").forEach((link) => {
    link.addEventListener("click", (event) => {
      const box = first(link.closest("details.p"));
      if (!box) return;
      event.preventDefault();
      box.scrollIntoView({ block: "start" });
    });
  });

  patterns.forEach((pattern) => {
    pattern.addEventListener("toggle", () => {
      if (pattern.open) {
        patterns.filter((other) => other !== pattern).forEach((other) => (other.open = false));
        show(pattern);
      } else if (!patterns.some((other) => other.open)) clear();
    });
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    patterns.filter((pattern) => pattern.open).forEach((pattern) => {
      pattern.open = false;
      pattern.querySelector("summary").focus();
    });
  });

  const filter = document.querySelector(".tools input");
  const none = document.querySelector(".none");
  filter.hidden = false;
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    patterns.forEach((pattern) => {
      const text = pattern.textContent.toLowerCase();
      pattern.hidden = !words.every((word) => text.includes(word));
      left += pattern.hidden ? 0 : 1;
    });
    none.hidden = left > 0;
  });

  const theme = document.querySelector(".theme");
  const dark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const name = () => (theme.textContent = dark() ? "Light" : "Dark");
  theme.hidden = false;
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    name();
  });
  name();
  addEventListener("hashchange", () => {
    const named = patterns.find((pattern) => "#" + pattern.id === location.hash);
    if (named) named.open = true;
  });
  const opened = patterns.find((pattern) => pattern.open || "#" + pattern.id === location.hash);
  if (opened) opened.open = true;
})();
