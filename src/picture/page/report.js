/* report.js: comfort for a page that is complete without it: what is under the pointer, sorted tables, figures as files, light and dark. */
"use strict";
(() => {
    const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));

    /* ---- Numbers, in units of their size ---- */

    const scales = {
        ns: [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]],
        bytes: [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"], [1, "B"]],
    };
    const unitOf = (column) => (/_ns$/.test(column) ? "ns" : /^bytes/.test(column) ? "bytes" : "");
    function amount(number, column) {
        const scale = (scales[unitOf(column)] || [[1, ""]]).find(([size]) => Math.abs(number) >= size) || [1, scales[unitOf(column)] ? unitOf(column) : ""];
        const scaled = number / scale[0];
        return `${Number.isInteger(scaled) ? scaled.toLocaleString("en") : Number(scaled.toPrecision(3)).toLocaleString("en")} ${scale[1]}`.trim();
    }
    const called = (column) => column.replace(/_ns$/, "").replace(/_/g, " ").replace(/^mpi /, "MPI ");

    /* ---- What is under the pointer ---- */

    const tip = document.getElementById("tip");
    function keyOf(row) {
        return row.dataset.last ? `${row.dataset.key} … ${row.dataset.last}` : row.dataset.key || "(none)";
    }
    /* The point of the pointer in the units of a figure. */
    function pointIn(svg, event) {
        const box = svg.getBoundingClientRect();
        return ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
    }
    function cellText(cells, row, event) {
        const { column, x, width, from, to } = cells.dataset;
        const values = row.dataset.values.split(" ");
        const place = Math.floor(((pointIn(cells.ownerSVGElement, event) - x) / width) * values.length);
        if (!(values[place] >= 0)) return "";
        const others = all("g.column", cells.ownerSVGElement)[place];
        if (others) return `${keyOf(row)} → ${others.dataset.key}: ${amount(Number(values[place]), column)}`;
        const time = Number(from) + ((to - from) * place) / values.length;
        return `${keyOf(row)}, from ${amount(time, "time_ns")}: ${called(column)} ${amount(Number(values[place]), column)}`;
    }
    function seriesText(path, event) {
        const values = path.dataset.values.split(" "), box = path.getBBox();
        const place = Math.min(values.length - 1, Math.max(0, Math.floor(((pointIn(path.ownerSVGElement, event) - box.x) / box.width) * values.length)));
        return `${called(path.dataset.column)}: ${amount(Number(values[place]), path.dataset.column)}`;
    }
    function textAt(event) {
        const row = event.target.closest("g.row"), cells = row && row.closest("g.cells");
        if (cells) return cellText(cells, row, event);
        if (event.target.dataset.values) return seriesText(event.target, event);
        return event.target.dataset.title || "";
    }
    /* Browsers show titles late, and one more time. */
    for (const title of all("svg.figure title")) {
        title.parentNode.dataset.title = title.textContent;
        title.remove();
    }
    function show(event) {
        const text = event.target instanceof SVGElement ? textAt(event) : "";
        tip.hidden = !text;
        if (!text) return;
        tip.textContent = text;
        tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
        tip.style.top = `${Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8)}px`;
    }
    document.addEventListener("pointermove", show);
    document.addEventListener("pointerleave", () => { tip.hidden = true; });

    /* ---- Figures as files ---- */

    function save(button) {
        const copy = button.closest("figure").querySelector("svg").cloneNode(true);
        const style = document.createElementNS(copy.namespaceURI, "style");
        const paper = document.createElementNS(copy.namespaceURI, "rect");
        const { width, height } = copy.viewBox.baseVal;
        style.textContent = document.getElementById("file-style").textContent;
        paper.setAttribute("class", "paper");
        paper.setAttribute("width", width);
        paper.setAttribute("height", height);
        copy.prepend(style, paper);
        copy.setAttribute("width", width);
        copy.setAttribute("height", height);
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
        link.download = `${button.dataset.name}.svg`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }
    for (const button of all("button.svg")) {
        button.hidden = false;
        button.addEventListener("click", () => save(button));
    }

    /* ---- Tables in another order ---- */

    function compare(a, b) {
        if (a.dataset.value !== undefined && b.dataset.value !== undefined) return b.dataset.value - a.dataset.value;
        return a.textContent.localeCompare(b.textContent, "en", { numeric: true });
    }
    function sort(heading) {
        const body = heading.closest("table").tBodies[0], place = heading.cellIndex;
        const isUp = heading.getAttribute("aria-sort") === "descending";
        const rows = Array.from(body.rows).sort((a, b) => compare(a.cells[place], b.cells[place]) * (isUp ? -1 : 1));
        body.append(...rows);
        for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", isUp ? "ascending" : "descending");
    }
    for (const heading of all("th[scope=col]")) {
        const button = document.createElement("button");
        button.type = "button";
        button.append(...heading.childNodes);
        heading.append(button);
        button.addEventListener("click", () => sort(heading));
    }

    /* ---- Light and dark ---- */

    const theme = document.getElementById("theme"), root = document.documentElement;
    theme.hidden = false;
    theme.addEventListener("click", () => {
        const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
        root.dataset.theme = isDark ? "light" : "dark";
    });

    /* ---- Where the reader is ---- */

    const links = new Map(all("nav a").map((link) => [link.hash.slice(1), link]));
    const seen = new IntersectionObserver((entries) => {
        for (const entry of entries) {
            if (!entry.isIntersecting) continue;
            for (const link of links.values()) link.removeAttribute("aria-current");
            links.get(entry.target.id).setAttribute("aria-current", "true");
        }
    }, { rootMargin: "-10% 0px -80% 0px" });
    all("main > section").forEach((section) => seen.observe(section));
    addEventListener("beforeprint", () => all("details").forEach((details) => { details.open = true; }));
})();
