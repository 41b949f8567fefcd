/* "The whole program in one file" is fetched when a reader opens it: it repeats the library's source, and most readers open few.
   Without this script its link does. */
document.addEventListener("toggle", async ({ target }) => {
  const source = target.dataset?.program;
  if (!source || !target.open || target.querySelector("pre")) return;
  const code = document.createElement("code");
  const block = document.createElement("pre");
  const frame = document.createElement("div");
  frame.className = "highlight";
  frame.append(block);
  block.append(code);
  target.append(frame);
  try {
    const answer = await fetch(source);
    if (!answer.ok) throw new Error(answer.statusText);
    code.textContent = await answer.text();
  } catch {
    frame.remove(); // the link above is still there
    return;
  }
  code.id = `program-${source.split("/").pop()}`;
  const label = "Copy to clipboard";
  const copy = Object.assign(document.createElement("button"), { className: "md-code__button", title: label, type: "button" });
  copy.dataset.mdType = "copy";
  copy.dataset.clipboardTarget = `[id="${code.id}"]`;
  copy.setAttribute("aria-label", label);
  const bar = document.createElement("div");
  bar.className = "md-code__nav";
  bar.append(copy);
  block.prepend(bar);
}, true);

/* The link in the menu of a claim or a panel is copied when it is followed. */
document.addEventListener("click", async ({ target }) => {
  const link = target.closest?.('.menu > a[href^="#"]');
  if (!link) return;
  try {
    await navigator.clipboard.writeText(link.href);
  } catch {
    return; // the browser's own menu copies a link
  }
  const menu = link.parentElement;
  const told = menu.querySelector("[role=status]") ?? menu.appendChild(document.createElement("span"));
  told.setAttribute("role", "status");
  told.textContent = "Copied";
});

/* Two buttons of the header are labels inside, which a finger or a mouse presses without this. */
document.addEventListener("keydown", (event) => {
  if (!event.target.matches?.(".header-button") || (event.key !== "Enter" && event.key !== " ")) return;
  event.preventDefault();
  event.target.firstElementChild.click();
});

/* The theme lets the keyboard scroll code only where there is a pointer that hovers; a tablet can have a keyboard too. */
new ResizeObserver(() => {
  for (const code of document.querySelectorAll("pre > code:not([tabindex])")) if (code.scrollWidth > code.clientWidth) code.tabIndex = 0;
}).observe(document.body);

/* The theme's copy buttons stand in <nav>s: dozens of landmarks without a name. */
addEventListener("load", () => {
  for (const bar of document.querySelectorAll(".md-code__nav")) bar.setAttribute("role", "none");
});

/* Run and Edit. What they need is loaded when a reader presses one, comes back to an edit, or opens a link to one. */
{
  const folder = document.querySelector('meta[name="course-live"]')?.content;
  const bars = folder ? [...document.querySelectorAll(".live")] : [];
  const from = folder && new URL(folder, document.baseURI);
  const use = async (bar, act) => {
    let panels;
    try {
      panels = await import(new URL("panel.js", from));
    } catch {
      bar.querySelector(":scope > p")?.remove();
      const told = document.createElement("p");
      told.setAttribute("role", "status");
      bar.append(told);
      told.textContent = "What runs panels could not be loaded. Reload the page to try again.";
      return;
    }
    await act(panels);
  };
  for (const bar of bars) {
    for (const action of ["run", "edit"]) {
      const button = bar.querySelector(`.live__${action}`);
      button.addEventListener("click", () => {
        button.setAttribute("aria-busy", "true"); // until there is more to see
        use(bar, (panels) => panels.press(bar, action)).then(() => button.removeAttribute("aria-busy"));
      });
    }
  }
  const open = () => {
    if (bars.length && location.hash.startsWith("#edit=")) use(bars[0], (panels) => panels.open(location.hash));
  };
  const edited = bars.filter((bar) => {
    try {
      return localStorage.getItem(`course-edit:${new URL("../../../", from).pathname}:${bar.dataset.panel}`);
    } catch {
      return false; // no storage, no edits
    }
  });
  addEventListener("hashchange", open);
  if (edited.length) use(edited[0], (panels) => panels.restore(edited)).then(open);
  else open();
}

/* Instruments: each is a picture until a reader comes near it, or opens a link to a state of it. */
{
  const folder = document.querySelector('meta[name="course-live"]')?.content;
  const figures = folder ? [...document.querySelectorAll(".instrument[data-instrument]")] : [];
  const use = async (figure, fragment) => {
    try {
      const { mount } = await import(new URL("instruments/mount.js", new URL(folder, document.baseURI)));
      await mount(figure, fragment);
    } catch (error) {
      console.warn(error);
      figure.querySelector(":scope > .instrument__problem")?.remove();
      const told = document.createElement("p");
      told.className = "instrument__problem";
      told.setAttribute("role", "status");
      figure.querySelector("figcaption").after(told);
      told.textContent = "This instrument could not be loaded: what it shows are the values that the page begins with. Reload the page to try again.";
    }
  };
  const near = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) if (isIntersecting) near.unobserve(target), use(target);
  }, { rootMargin: "600px" });
  for (const figure of figures) near.observe(figure);
  const open = () => {
    const named = figures.find(({ id }) => location.hash.split("?")[0] === `#${id}`);
    if (named) use(named, location.hash);
  };
  addEventListener("hashchange", open);
  open();
}

/* Pages that were read open again without a network. What keeps them (service-worker.js) comes once this page is loaded, so it is
   told what was loaded before. */
{
  const source = document.querySelector('meta[name="course-offline"]')?.content; // none in the preview
  const keeper = source && navigator.serviceWorker; // none on an insecure host
  if (keeper) {
    const tell = (addresses) => keeper.controller?.postMessage(addresses);
    const told = new PerformanceObserver((list) => tell(list.getEntries().map(({ name }) => name)));
    keeper.addEventListener("controllerchange", () => {
      tell([location.origin + location.pathname]);
      told.observe({ type: "resource", buffered: true }); // what was under way just now is told when it is there
    });
    addEventListener("load", async () => {
      await keeper.register(new URL(source, document.baseURI)).catch(() => {});
      const names = await caches.keys().catch(() => []);
      if (!names.some((name) => name.includes("/pyodide/"))) return; // Python is here, so what it runs is wanted too
      tell([...document.querySelectorAll(".live[data-program]")].map((bar) => new URL(bar.dataset.program, document.baseURI).href));
    });
  }
}
