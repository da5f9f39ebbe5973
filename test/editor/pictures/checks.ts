import type { Frame } from "playwright-core";

type Looked = Pick<Frame, "evaluate">;

/** What is cut in a page: the page wider than the window, or a table or list wider than its box. */
export const cutIn = (page: Looked): Promise<string[]> =>
  page.evaluate(() => {
    const wide = [...document.querySelectorAll("table")].flatMap((table) => {
      // Up to eight rollouts side by side are scrolled; the numbers of the turns stay in sight.
      if (!table.checkVisibility() || table.closest(".aligned-scroll") !== null) return [];
      const room = table.closest<HTMLElement>(".table") ?? table.parentElement;
      const right = room === null ? window.innerWidth : room.getBoundingClientRect().left + room.clientWidth;
      return table.getBoundingClientRect().right > Math.min(right, window.innerWidth) + 1
        ? [`the table ${table.caption?.textContent ?? table.className}`]
        : [];
    });
    const lists = [...document.querySelectorAll(".scroller, .rows")]
      .filter((list) => list.scrollWidth > list.clientWidth)
      .map(() => "the list");
    wide.push(...lists);
    return document.documentElement.scrollWidth > window.innerWidth ? ["the page", ...wide] : wide;
  });

/**
 * What can be clicked and is smaller than 24 × 24 px, as a pointer finds it: at 11 px to each side of its middle the page
 * must give it and nothing else. Only what lies in the window is looked at.
 */
export const smallTargets = (page: Looked): Promise<string[]> =>
  page.evaluate(() => {
    const targets = "a[href], button, summary, input, select, textarea, vscode-button, [role=button]";
    const found: string[] = [];
    const isPartlyScrolledAway = (target: Element, y: number): boolean => {
      for (let at = target.parentElement; at !== null; at = at.parentElement) {
        if (!/auto|scroll/.test(getComputedStyle(at).overflowY)) continue;
        // What is scrolled shows inside the border.
        const top = at.getBoundingClientRect().top + at.clientTop;
        if (y - 11 < top || y + 11 >= top + at.clientHeight) return true;
      }
      return false;
    };
    for (const target of document.querySelectorAll(targets)) {
      // A field in its label is clicked anywhere in it.
      const owner = target.closest("label") ?? target;
      const { left, right, top, bottom, width, height } = owner.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      if (width === 0 || !target.checkVisibility({ visibilityProperty: true }) || target.matches(":disabled"))
        continue;
      const hits = (dx: number, dy: number): boolean => {
        const hit = document.elementFromPoint(x + dx, y + dy);
        return hit !== null && (owner.contains(hit) || hit.closest("label")?.control === target);
      };
      // Scrolled away, or under something that stays on top: it is clicked after scrolling.
      if (x < 11 || y < 11 || x > innerWidth - 12 || y > innerHeight - 12 || !hits(0, 0)) continue;
      if (isPartlyScrolledAway(owner, y)) continue;
      const misses = [
        [11, 0],
        [-11, 0],
        [0, 11],
        [0, -11],
      ].filter(([dx = 0, dy = 0]) => !hits(dx, dy));
      if (misses.length > 0)
        found.push(
          `${target.tagName.toLowerCase()}.${target.className} “${target.textContent.trim().slice(0, 30)}” of ${Math.round(width)} × ${Math.round(height)} is missed at ${misses.map((at) => at.join(",")).join(" and ")}`,
        );
    }
    return found;
  });

/** Of what answers a view's question the part that the first window does not show. */
export const unanswered = (page: Looked, answers: readonly string[]): Promise<string[]> =>
  page.evaluate((answers) => {
    return answers.flatMap((selector) => {
      const element = [...document.querySelectorAll(selector)].find((one) => one.checkVisibility());
      if (element === undefined) return [`${selector} is not shown`];
      const { top, bottom } = element.getBoundingClientRect();
      return bottom > innerHeight || top < 0
        ? [
            `${selector} lies from ${Math.round(top)} to ${Math.round(bottom)}, the window ends at ${innerHeight}`,
          ]
        : [];
    });
  }, answers);

/**
 * Of what answers a view's question, what scrolling down does not bring into sight as a whole: it is not shown, or lies beside
 * the window or its box. Of what may be long, which `begins` selects, so much must be seen that it can be told from another.
 */
export const hiddenAnswers = (
  page: Looked,
  { answers, begins }: { readonly answers: readonly string[]; readonly begins: readonly string[] },
): Promise<string[]> =>
  page.evaluate(
    ({ answers, begins }) => {
      /** What the boxes around an element let through of its width. */
      const seen = (element: Element): { width: number; isCut: boolean } => {
        const { left, right } = element.getBoundingClientRect();
        let [from, to] = [0, innerWidth];
        let isShortened = false;
        for (let at: Element | null = element; at !== null; at = at.parentElement) {
          if (getComputedStyle(at).overflowX === "visible") continue;
          if (at === element) isShortened = at.scrollWidth > at.clientWidth + 1;
          const around = at.getBoundingClientRect();
          [from, to] = [Math.max(from, around.left), Math.min(to, around.right)];
        }
        const width = Math.min(to, right) - Math.max(from, left);
        return { width, isCut: isShortened || left < from - 1 || right > to + 1 };
      };
      const shown = (selector: string): Element | undefined =>
        [...document.querySelectorAll(selector)].find((one) =>
          one.checkVisibility({ visibilityProperty: true }),
        );
      const said = (one: Element): string => one.textContent.trim().slice(0, 40);
      return [...answers, ...begins].flatMap((selector) => {
        const element = shown(selector);
        if (element === undefined) return [`${selector} is not shown`];
        if (begins.includes(selector)) {
          const { width, isCut } = seen(element);
          return isCut && width < 80
            ? [`${selector}: only ${Math.round(width)} px of “${said(element)}” are seen`]
            : [];
        }
        return (
          [element, ...element.querySelectorAll("*")]
            .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.closest("svg") === null)
            // What a reader hears and nobody sees is clipped to nothing.
            .filter((one) => getComputedStyle(one).clipPath === "none" && seen(one).isCut)
            .slice(0, 3)
            .map((one) => `${selector}: “${said(one)}” is cut off`)
        );
      });
    },
    { answers, begins },
  );

/** Words that are drawn smaller than anybody reads them: those of a picture shrink with it. */
export const tinyTexts = (page: Looked): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll("svg")].flatMap((picture) => {
      const sizes = [...picture.querySelectorAll("text")]
        .filter((text) => text.checkVisibility())
        .map((text) => parseFloat(getComputedStyle(text).fontSize) * (text.getScreenCTM()?.a ?? 1));
      const least = Math.min(...sizes);
      const of = picture.getAttribute("aria-label") ?? picture.getAttribute("class") ?? "";
      return least < 8 ? [`words in the picture “${of.slice(0, 40)}” are ${least.toFixed(1)} px high`] : [];
    }),
  );

/** What a pointer can click, as its form says, and no key reaches: neither it nor what it lies in takes the focus. */
export const mouseOnly = (page: Looked): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement | SVGElement>("body *")].flatMap((element) => {
      if (!element.checkVisibility({ visibilityProperty: true })) return [];
      if (getComputedStyle(element).cursor !== "pointer") return [];
      const around = element.parentElement;
      if (around !== null && getComputedStyle(around).cursor === "pointer") return [];
      // A picture stands beside a table that says the same.
      if (element.closest("[role=img]") !== null) return [];
      for (let at: Element | null = element; at !== null; at = at.parentElement) {
        if ((at instanceof HTMLElement || at instanceof SVGElement) && at.tabIndex >= 0) return [];
        // One of a list is reached by the arrows of the list; a label leads to its field.
        if (at.matches("label, [role=option], [role=row], [role=gridcell], [role=treeitem]")) return [];
      }
      // A host is clicked where its content is.
      if (element.shadowRoot?.querySelector("button, a, input") != null) return [];
      return [`${element.tagName.toLowerCase()}.${element.getAttribute("class")} is for a pointer alone`];
    }),
  );
