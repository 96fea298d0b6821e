"use strict";
{
  const form = document.getElementById("filter");
  const controls = { q: form.elements.q, kind: form.elements.kind, collection: form.elements.collection };
  const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const lists = Array.from(document.querySelectorAll("[data-list]"), (list) => ({
    items: Array.from(list.querySelectorAll("[data-item]")),
    matches: document.getElementById(list.dataset.list + "-matches"),
  }));
  const texts = new WeakMap();
  const textOf = (item) => {
    let text = texts.get(item);
    if (text === undefined) texts.set(item, (text = fold(item.textContent)));
    return text;
  };
  const apply = () => {
    const words = fold(controls.q.value).split(/\s+/).filter(Boolean);
    const kind = controls.kind.value;
    const collection = controls.collection.value;
    for (const list of lists) {
      let count = 0;
      for (const item of list.items) {
        const fits =
          (!kind || !item.dataset.kind || item.dataset.kind === kind) &&
          (!collection || item.dataset.collection === collection) &&
          words.every((word) => textOf(item).includes(word));
        item.hidden = !fits;
        if (fits) count += 1;
      }
      list.matches.textContent =
        count === list.items.length ? "" : count.toLocaleString("en") + " of them match.";
    }
  };
  const read = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    for (const [name, control] of Object.entries(controls)) {
      control.value = wanted.get(name) ?? "";
      // A choice that there is none of.
      if (control.selectedIndex === -1) control.value = "";
    }
    apply();
  };
  const keep = () => {
    const wanted = new URLSearchParams();
    for (const [name, control] of Object.entries(controls)) {
      if (control.value) wanted.set(name, control.value);
    }
    try { history.replaceState(null, "", "#" + wanted); } catch { /* A link to what is shown is a comfort. */ }
    apply();
  };
  let waiting;
  form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(keep, 100); });
  form.addEventListener("submit", (event) => { event.preventDefault(); keep(); });
  addEventListener("hashchange", read);
  form.hidden = false;
  read();
}