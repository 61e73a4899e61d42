// Run and edit the code of a page: run.js has put the buttons, and loads this once somebody touches one.
(() => {
  const HERE = document.currentScript.src;
  const WORDS = {}; // the build puts in: language -> the words of docs/languages.yml
  const LIMIT = 30; // seconds that a run may take
  const BLANK = /[(=]\.\.\.(?=[,)])/; // where an answer goes; x[..., 0] is no blank
  const PATIENCE = 60; // seconds without a byte while files come; to start may take as long as it takes

  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const node = (tag, properties, ...inside) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...inside);
    return made;
  };

  /* The worker, and the runs that wait for it: queue[0] is what it is doing. */
  const queue = [];
  let worker = null;
  let up = false; // Python has started
  let again = 0; // grows when a file was not what it should be: then no cache is trusted
  let count = 0;
  let timer = 0;
  let ticks = 0; // says each second how long Python has been starting
  let refused = false; // a policy of the site forbids workers
  let cleaner = null; // a promise of what turns HTML of a cell into nodes that hold no script

  document.addEventListener("securitypolicyviolation", (event) => (refused ||= /worker|script/.test(event.effectiveDirective)));
  const watch = (seconds, then) => {
    clearTimeout(timer);
    timer = setTimeout(then, 1000 * seconds);
  };

  const tick = (since = performance.now()) => {
    clearInterval(ticks);
    ticks = setInterval(() => queue[0]?.pass(Math.round((performance.now() - since) / 1000)), 1000);
  };
  const rest = () => {
    clearInterval(ticks);
    queue[0]?.pass(0);
  };

  const kill = () => {
    worker?.terminate();
    worker = null;
    up = false;
  };
  // The run at the head of the queue is over; `how` is what to tell its cell.
  const over = (how) => {
    clearTimeout(timer);
    rest();
    queue.shift()?.end(how);
    if (queue.length) next();
  };
  const fail = (why, what = "") => {
    kill();
    if (why === "changed_file") again += 1;
    for (const job of queue.splice(1)) job.end({ why, what });
    over({ why, what });
  };
  const late = () => {
    kill();
    over({ why: "late" });
  };

  const heard = (news) => {
    const job = queue[0];
    if (news.kind === "ready") {
      up = true;
      watch(PATIENCE, () => fail("stalled")); // what comes next is fetched
    }
    if (news.kind === "starting" && job) {
      clearTimeout(timer);
      job.say(fill(job.words.step, news));
    }
    if (news.kind === "failed") fail(news.why, news.what);
    if (news.kind === "loading" && job) {
      const mega = (bytes) => Math.round(bytes / 1e6);
      job.say(fill(job.words.loading, { done: mega(news.done), all: mega(news.all) }));
      watch(PATIENCE, () => fail("stalled"));
    }
    if (!job || news.id !== job.id) return;
    if (news.kind === "started") {
      rest();
      job.say(job.words.running);
      watch(LIMIT, late);
    }
    if (news.kind === "printed") job.print(news.cell, news.text);
    if (news.kind !== "done") return;
    if (news.error?.memory) kill(); // memory that Python has taken it never gives back
    cleaner.then((clean) => queue[0] === job && clean && over({ ...news, clean }));
  };

  const boot = () => {
    cleaner ??= import(new URL("purify.js", HERE)).then(
      ({ default: purify }) => (html) => purify.sanitize(html, { RETURN_DOM_FRAGMENT: true }),
      () => {
        cleaner = null;
        fail("unreachable", "purify.js");
      },
    );
    const address = new URL("worker.js", HERE);
    if (again) address.search = `again=${again}`;
    const mine = (worker = new Worker(address, { type: "module" }));
    worker.onmessage = ({ data }) => mine === worker && heard(data);
    worker.onerror = () =>
      setTimeout(() => mine === worker && fail(refused ? "blocked" : "unreachable", "worker.js"), 20);
  };

  const next = () => {
    const job = queue[0];
    if (self.asFile) return fail();
    try {
      if (!worker) boot();
    } catch {
      return fail("blocked", "Worker");
    }
    job.say(up ? job.words.running : job.words.starting);
    if (!up) tick();
    worker.postMessage(job.message);
    watch(PATIENCE, () => fail("stalled"));
  };

  const stop = (job) => {
    const place = queue.indexOf(job);
    if (place > 0) queue.splice(place, 1)[0].end({ why: "stopped" });
    if (place !== 0) return;
    kill(); // Python cannot be interrupted; a new one starts with the next run
    over({ why: "stopped" });
  };

  /* Colours for code that has been edited, by the class names that the page's own colours have. */
  const KEYWORDS = new Set(
    ("and as assert async await break class continue def del elif else except finally for from global if import in is " +
      "lambda nonlocal not or pass raise return try while with yield").split(" "),
  );
  const TOKEN =
    /(?<c1>#.*)|(?<s2>(?:\b[rbfu]{1,2})?(?:'''[^]*?(?:'''|$)|"""[^]*?(?:"""|$)|'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?))|(?<mi>\b\d[\w.]*)|(?<n>[\p{L}_][\p{L}\p{N}_]*)|(?<o>[-+*/%@=<>!&|^~]+)/giu;
  const coloured = (code) => {
    const parts = document.createDocumentFragment();
    let end = 0;
    for (const found of code.matchAll(TOKEN)) {
      parts.append(code.slice(end, found.index));
      let [kind] = Object.entries(found.groups).find(([, text]) => text !== undefined);
      if (KEYWORDS.has(found[0])) kind = "k";
      if (/^(True|False|None)$/.test(found[0])) kind = "kc";
      parts.append(node("span", { className: kind }, found[0]));
      end = found.index + found[0].length;
    }
    parts.append(code.slice(end), "\n");
    return parts;
  };

  /* What differs from the page's own output: every number that changed is marked, and says what it was. */
  const NUMBER = /[-−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?/g;
  // What rounding leaves of a zero, 2e-15 or 0e+00, differs between processors and means nothing.
  const tiny = (text) => Math.abs(Number(text.replace("−", "-").replaceAll(",", ""))) < 1e-11;
  const differ = (a, b) => a !== b && !(tiny(a) && tiny(b));
  const texts = (root) => {
    const found = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (walker.currentNode.data.trim()) found.push(walker.currentNode);
    return found;
  };
  const markOne = (text, number, was, words) => {
    const rest = text.splitText(number.index);
    rest.splitText(number[0].length);
    const svg = rest.parentNode.namespaceURI.endsWith("svg");
    const mark = svg ? document.createElementNS(rest.parentNode.namespaceURI, "tspan") : node("ins", {});
    mark.setAttribute("class", "new");
    rest.replaceWith(mark);
    mark.append(rest);
    if (svg) return;
    mark.title = fill(words.was, { was });
    mark.dataset.was = was; // which a table shows, by the style sheet: the number alone stays the text of its cell
  };
  // Returns how many numbers changed; -1 where old and new cannot be compared number by number.
  const markChanges = (now, before, words) => {
    const [drawn, drawings] = [now, before].map((root) => [...root.querySelectorAll("svg")]);
    if (now.textContent === before.textContent)
      return drawn.every((svg, at) => svg.innerHTML === drawings[at]?.innerHTML) ? 0 : -1;
    const [fresh, old] = [texts(now), texts(before)];
    if (fresh.length !== old.length) return -1;
    let changed = 0;
    fresh.forEach((text, at) => {
      const pairs = [text.data, old[at].data].map((data) => [...data.matchAll(NUMBER)]);
      if (changed < 0 || text.data === old[at].data) return;
      if (pairs[0].length !== pairs[1].length) return (changed = -1);
      const found = pairs[0].map((number, i) => [number, pairs[1][i][0]]).filter(([number, was]) => differ(number[0], was));
      for (const [number, was] of found.reverse()) markOne(text, number, was, words);
      changed += found.length;
    });
    return changed;
  };

  // Modules that not every page needs; one that was opened as a file cannot have them.
  const more = (file) => (self.asFile ? Promise.reject() : import(new URL(file, HERE)));

  /* A cell: its code, its buttons, and where its output goes. */
  const cells = [];
  const output = (box, words) => {
    const there = box.querySelector(":scope > .output");
    if (there) return there;
    const made = node("div", { className: "output" });
    made.setAttribute("role", "group");
    made.setAttribute("aria-label", words.output);
    box.append(made);
    return made;
  };
  const samp = (text, properties = {}) => node("pre", properties, node("samp", {}, text));

  const mount = ({ box, language, run, edit, reset, answer, said, clock }) => {
    const words = WORDS[language];
    const [lesson, name] = box.dataset.cell.split(".");
    const pre = box.querySelector("pre");
    const view = pre.querySelector("code");
    const written = [...view.childNodes];
    const original = view.textContent.replace(/\n$/, "");
    let code = original;
    let area = null;
    let job = null;

    const say = (text) => said.textContent === text || (said.textContent = text);

    const change = (text) => {
      code = text;
      view.replaceChildren(...(code === original ? written : [coloured(code)]));
      reset.hidden = code === original && !box.classList.contains("ran");
      box.dispatchEvent(new Event("edited"));
    };
    const close = () => {
      area?.remove();
      area = null;
      pre.classList.remove("editing");
      view.removeAttribute("aria-hidden");
      edit.hidden = false;
    };
    const open = (place = code.length) => {
      if (area) return area.focus();
      area = node("textarea", { value: code, spellcheck: false, autocapitalize: "off", autocomplete: "off", rows: 1 });
      area.setAttribute("aria-label", words.code);
      area.setAttribute("wrap", "off");
      area.oninput = () => change(area.value);
      area.onkeydown = typed;
      pre.append(area);
      pre.classList.add("editing");
      view.setAttribute("aria-hidden", "true");
      edit.hidden = true;
      area.focus();
      area.setSelectionRange(place, place);
      const lost = () => say(self.asFile || fill(words.unreachable, { what: "grids.js" }));
      more("grids.js").then(({ attach }) => attach(box, language), lost);
    };
    const typed = (event) => {
      if (event.isComposing || event.keyCode === 229) return; // the Enter that chooses Chinese characters is not ours
      if (event.key === "Escape") {
        close();
        edit.focus();
      }
      if (event.key !== "Enter") return;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        start();
      } else if (!event.shiftKey && !event.altKey) {
        const line = area.value.slice(0, area.selectionStart).split("\n").pop();
        const indent = line.match(/^ */)[0] + (/:\s*(#.*)?$/.test(line) ? "    " : "");
        if (!indent) return;
        event.preventDefault();
        document.execCommand("insertText", false, `\n${indent}`); // the one way that can be undone
      }
    };

    // The cells whose output shows what this one does: itself, and those without code right after it.
    const shown = () => {
      const all = [...document.querySelectorAll("[data-run]")];
      const after = all.slice(all.indexOf(box) + 1);
      const end = after.findIndex((other) => other.querySelector(".tools"));
      const follow = after.slice(0, end < 0 ? after.length : end).filter((other) => other.dataset.cell.startsWith(`${lesson}.`));
      return [box, ...follow];
    };
    const place = (target) => {
      const out = output(target, words);
      target.before_ ??= asBuilt(out);
      return out;
    };
    // Without what explains its numbers: that belongs to the reader, not to the output.
    const asBuilt = (out) => {
      const copy = out.cloneNode(true);
      for (const made of copy.querySelectorAll(".why")) made.remove();
      for (const cell of copy.querySelectorAll(".asked, .lit")) cell.classList.remove("asked", "lit");
      return copy;
    };
    const put = (boxes, { results, error, ms, clean }) => {
      let changed = 0;
      let compared = false;
      for (const { cell, outputs, capped } of results) {
        const target = boxes.find((other) => other.dataset.cell === `${lesson}.${cell}`);
        const out = place(target);
        const parts = outputs.map(({ html, text }) =>
          html === undefined ? (text ? samp(text.trimEnd(), { tabIndex: 0 }) : "") : clean(html),
        );
        out.replaceChildren(...parts, ...(capped ? [node("p", { className: "note" }, words.capped)] : []));
        target.classList.add("ran");
        if (!target.before_.childNodes.length || (error && cell === name)) continue;
        const found = markChanges(out, target.before_, words);
        compared = true;
        changed = found < 0 || changed < 0 ? -1 : changed + found;
      }
      if (error) return put_error(error);
      const how = !compared ? "done" : changed < 0 ? "different" : changed ? "changed" : "same";
      say(fill(words[how], { ms: ms < 10 ? ms.toFixed(1) : Math.round(ms), n: changed }));
    };
    // What other code put out does not stay under the code that has been edited since; what that code printed does.
    const forget = (target, printed) => {
      const text = printed.get(target.dataset.cell.slice(lesson.length + 1));
      place(target).replaceChildren(...(text ? [text] : []));
      target.classList.add("ran");
    };
    const put_error = (error) => {
      const where = error.frames.map(({ cell, line, text }) => {
        const place = fill(cell === name ? words.line : words.line_of, { cell, line });
        return `\n  ${place}: ${text}`;
      });
      const out = place(box);
      if (!box.classList.contains("ran")) out.replaceChildren();
      box.classList.add("ran");
      out.append(samp(`${error.name}: ${error.text}${where.join("")}`, { className: "error" }));
      say(error.memory ? words.memory : fill(words.error, { name: error.name }));
    };

    const start = () => {
      if (job) return;
      if (check && BLANK.test(code)) return answer.click(); // nothing is answered yet
      const ran = code;
      const boxes = shown();
      const edits = {};
      for (const other of cells)
        if (other.lesson === lesson && other.code !== other.original && (other === box.cell || !other.alone))
          edits[other.name] = other.code;
      const wanted = [...new Set(boxes.map((other) => other.dataset.cell.slice(lesson.length + 1)))];
      count += 1;
      const printed = new Map();
      job = {
        id: count,
        words,
        say,
        pass: (seconds) => (clock.textContent = seconds ? fill(words.seconds, { seconds }) : ""),
        message: { id: count, lesson, wanted, edits, language },
        print: (cell, text) => {
          const target = boxes.find((other) => other.dataset.cell === `${lesson}.${cell}`);
          if (!target) return;
          if (!printed.has(cell)) {
            printed.set(cell, samp(""));
            place(target).replaceChildren(printed.get(cell));
            target.classList.add("ran");
          }
          printed.get(cell).firstChild.append(text);
        },
        end: (how) => {
          job = null;
          run.textContent = words.run;
          box.classList.remove("busy");
          if (how.results) {
            if (!how.results.some(({ cell }) => cell === name)) box.classList.remove("ran");
            put(boxes, how);
          } else {
            if (Object.keys(edits).length) for (const target of boxes) forget(target, printed);
            if (!["late", "stopped"].includes(how.why)) run.textContent = words.retry;
            say(self.asFile || fill(words[how.why], { what: how.what, limit: LIMIT }));
          }
          reset.hidden = code === original && !box.classList.contains("ran");
          box.dispatchEvent(new CustomEvent("ran", { detail: how.results && ran }));
        },
      };
      run.textContent = words.stop;
      box.classList.add("busy");
      queue.push(job);
      if (queue.length > 1) say(words.waiting);
      else next();
    };

    run.onclick = ({ detail }) => {
      if (detail > 1) return; // of a double click the first counts: the second would stop it
      if (job) stop(job);
      else start();
    };
    edit.onclick = () => open();
    reset.onclick = () => {
      const focused = document.activeElement === reset;
      if (job) stop(job);
      for (const target of shown()) {
        if (!target.before_) continue;
        output(target, words).remove();
        if (target.before_.childNodes.length) target.append(target.before_.cloneNode(true));
        target.classList.remove("ran");
      }
      if (area) area.value = original;
      change(original);
      say("");
      if (focused) run.focus(); // rather than nowhere
    };
    // The check of an exercise: the reader's answer goes below it, and it says for which case that fails.
    const [, check, asked] = (name.startsWith("check-") && original.match(/^def (\w+)\(([^)]*)\)/m)) || [];
    const needs = asked?.split(",").filter((one) => !one.includes("=")).map((one) => one.trim());
    const blanks = needs?.length > 1 ? needs.map((one) => `${one}=...`).join(", ") : "...";
    answer.onclick = () => {
      if (code === original) box.cell.code = `${original}\n\n\n${check}(${blanks})`;
      open();
      const blank = code.search(BLANK) + 1;
      if (blank) area.setSelectionRange(blank, blank + 3);
    };
    // A click into the code edits it there; one that selects a text, or a finger's, does not.
    view.onclick = (event) => {
      if (event.pointerType !== "mouse" || !getSelection().isCollapsed) return;
      const found = document.caretRangeFromPoint?.(event.clientX, event.clientY);
      if (!found || !view.contains(found.startContainer)) return open();
      const until = document.createRange();
      until.setStart(view, 0);
      until.setEnd(found.startContainer, found.startOffset);
      open(Math.min(until.toString().length, code.length));
    };
    // What other scripts of the page may do with a cell; it tells them when it is "edited" and when it "ran".
    box.cell = {
      lesson,
      name,
      original,
      alone: name.startsWith("check-"), // what the reader wrote into it is of no use to other cells
      run: start,
      get code() {
        return code;
      },
      set code(text) {
        if (area) area.value = text;
        change(text);
      },
    };
    cells.push(box.cell);
  };

  self.cells.forEach(mount);
  const lab = document.querySelector("[data-cell='lab.apple']");
  const missed = () => self.asFile || fill(WORDS[self.cells[0].language].unreachable, { what: "lab.js" });
  if (lab)
    more("lab.js").catch(() => {
      lab.classList.add("plain");
      lab.querySelector(".said").textContent = missed();
    });
})();
