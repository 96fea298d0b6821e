/// The style and the script of a plan's page; nothing else is loaded, from anywhere.
enum PlanPageAssets {
  static let style = #"""
    :root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --soft: #59636e; --line: #d1d9e0;
      --panel: #f6f8fa; --create: #1a7f37; --update: #0969da; --delete: #cf222e; --track: #e4e8ec; }
    @media (prefers-color-scheme: dark) {
      :root { --paper: #0d1117; --ink: #e6edf3; --soft: #9198a1; --line: #3d444d; --panel: #151b23;
        --create: #3fb950; --update: #58a6ff; --delete: #ff7b72; --track: #2a313c; }
    }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--paper); color: var(--ink);
      font: 1rem/1.5 system-ui, sans-serif; }
    h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; overflow-wrap: anywhere; }
    h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; border-bottom: 1px solid var(--line); }
    h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
    p { margin: .5rem 0; }
    .soft, .cut, .none, caption { color: var(--soft); }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 1rem 0; }
    dt { color: var(--soft); }
    dd { margin: 0; overflow-wrap: anywhere; }
    ul.totals { display: flex; flex-wrap: wrap; gap: .75rem; list-style: none; margin: 0 0 1rem; padding: 0; }
    ul.totals li { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem;
      padding: .5rem 1rem; }
    ul.totals b { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
    .wide { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; }
    caption { text-align: left; padding-bottom: .25rem; }
    th, td { border-top: 1px solid var(--line); padding: .25rem .75rem .25rem 0; text-align: left;
      vertical-align: top; }
    th { font-weight: 600; }
    thead th { color: var(--soft); font-weight: 400; font-size: .875rem; border-top: 0; }
    .n { text-align: right; font-variant-numeric: tabular-nums; }
    .bar { width: 25%; min-width: 8rem; }
    svg { display: block; width: 100%; height: .75rem; margin-top: .4rem; border-radius: .2rem; }
    rect { fill: var(--track); }
    rect.create { fill: var(--create); }
    rect.update { fill: var(--update); }
    rect.delete { fill: var(--delete); }
    ol.changes { list-style: none; margin: 0; padding: 0; }
    .change { border: 1px solid var(--line); border-radius: .5rem; margin: .75rem 0; padding: .75rem 1rem;
      content-visibility: auto; contain-intrinsic-size: auto 9rem; }
    .change table { table-layout: fixed; margin-top: .5rem; }
    .values td, .values th, .list tbody td, .list tbody th { overflow-wrap: anywhere; }
    .list td, .list th { min-width: 6rem; }
    .values td, .values th { font-family: ui-monospace, monospace; font-size: .875rem; white-space: pre-wrap; }
    .values th { font-weight: 400; }
    .values thead th { font-family: inherit; }
    .mark { border: 1px solid currentColor; border-radius: 1rem; padding: 0 .5rem; font-size: .8rem;
      font-weight: 400; }
    .mark.create { color: var(--create); }
    .mark.update { color: var(--update); }
    .mark.delete { color: var(--delete); }
    del, ins { text-decoration: none; }
    del { color: var(--delete); }
    ins { color: var(--create); }
    form { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .75rem;
      align-items: end; background: var(--paper); border-bottom: 1px solid var(--line); padding: .75rem 0;
      margin-top: 2rem; }
    label { display: grid; font-size: .875rem; color: var(--soft); }
    label.search { flex: 1 1 16rem; }
    input, select { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line);
      border-radius: .375rem; padding: .35rem .5rem; width: 100%; max-width: 100%; }
    [hidden] { display: none !important; }
    @media print { form { display: none; } .change { content-visibility: visible; break-inside: avoid; } }
    """#

  static let script = #"""
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
    """#
}
