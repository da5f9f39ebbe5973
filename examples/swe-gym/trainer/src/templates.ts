/** A function shape of the generator. Parameters: n… is a number, s… a string; q… are local names. */
export interface Template {
  /** Verb part of the names that fit it. */
  readonly verbs: readonly string[];
  readonly parameters: readonly string[];
  readonly body: readonly string[];
}

const shape = (verbs: string, parameters: string, body: string): Template => ({
  verbs: verbs.split(" "),
  parameters: parameters.split(" "),
  body: body.split("; "),
});

export const templates: readonly Template[] = [
  shape("clamp limit", "n1 n2 n3", "if n1 < n2 : return n2; if n1 > n3 : return n3; return n1"),
  shape("remaining left", "n1 n2", "let q1 = n1 - n2; if q1 < 0 : return 0; return q1"),
  shape("total sum", "n1 n2 n3", "let q1 = n1 * n2; return q1 + n3"),
  shape("larger best", "n1 n2", "if n1 > n2 : return n1; return n2"),
  shape("over peak", "n1 n2 n3", "let q1 = n1 max n2; return q1 - n3"),
  shape("award grant", "n1 n2 n3", "if n1 >= n2 : return n3; return 0"),
  shape("capped bounded", "n1 n2 n3", "let q1 = n1 * n2; if q1 > n3 : return n3; return q1"),
  shape("middle mean", "n1 n2", "let q1 = n1 + n2; return q1 / 2"),
  shape("size gap", "n1 n2", "let q1 = n1 - n2; if q1 < 0 : return neg q1; return q1"),
  shape("pages batches", "n1 n2", "let q1 = n1 / n2; return q1 + 1"),
  shape("percent share", "n1 n2", "if n1 == 0 : return 0; let q1 = n2 * 100; return q1 / n1"),
  shape("distance offset", "n1 n2", "let q1 = n1 - n2; return abs q1"),
  shape("round align", "n1 n2", "let q1 = n1 % n2; if q1 == 0 : return n1; return n1 - q1"),
  shape("level grade", "n1 n2 n3", "if n1 <= n2 : return 1; if n1 <= n3 : return 2; return 0"),
  shape("bump step", "n1 n2 n3", "if n1 < n2 : return n3 + 1; return n3"),
  shape("floor base", "n1 n2 n3", "let q1 = n1 min n2; return q1 + n3"),
  shape("double twice", "n1 n2", "let q1 = n1 * 2; return q1 - n2"),
  shape("net after", "n1 n2 n3", "let q1 = n1 - n2; let q2 = q1 - n3; return q2 max 0"),
  shape("excess extra", "n1 n2", "if n1 > n2 : return n1 - n2; return 0"),
  shape("discount reduce", "n1 n2", "let q1 = n1 * n2; let q2 = q1 / 100; return n1 - q2"),
  shape("average pool", "n1 n2 n3", "let q1 = n1 + n2; let q2 = q1 + n3; return q2 / 3"),
  shape("scale grow", "n1 n2", "if n2 <= 0 : return n1; let q1 = n1 * 10; return q1 + n2"),
  shape("label tag", "s1 s2", "let q1 = upper s1; return q1 ++ s2"),
  shape("initial mark", "s1 s2", "let q1 = first s1; return q1 ++ s2"),
  shape("shorten cut", "s1 n1", 'let q1 = s1 take n1; return q1 ++ ".."'),
  shape("mirror flip", "s1 s2", "let q1 = reverse s1; return q1 ++ s2"),
  shape("slug key", "s1 n1", "let q1 = lower s1; return q1 take n1"),
  shape("clean tidy", "s1", "let q1 = trim s1; return upper q1"),
  shape("initials code", "s1 s2", "let q1 = first s1; let q2 = last s2; return q1 ++ q2"),
  shape("same match", "s1 s2", "if s1 == s2 : return 1; return 0"),
  shape("spare room", "s1 n1", "let q1 = len s1; return n1 - q1"),
  shape("suffix rest", "s1 n1 s2", "let q1 = s1 drop n1; return q1 ++ s2"),
  shape("fit pad", "s1 n1", 'if len s1 <= n1 : return s1; return s1 take n1'),
  shape("order rank", "s1 s2", "let q1 = lower s1; let q2 = lower s2; if q1 == q2 : return 1; return 2"),
];

export const topics =
  "invoice refund ticket parcel recipe seat voucher meter harvest lesson engine garden cinema wallet charter bakery ferry quota signal archive roster tariff pension sensor ledger museum orchard pantry tunnel vaccine".split(
    " ",
  );

export const fileNames =
  "core.mini pricing.mini stock.mini people.mini labels.mini report.mini routes.mini limits.mini store.mini format.mini rules.mini totals.mini".split(
    " ",
  );

export const numberNames = "amount count limit price rate start target weight bonus speed width level stock hours".split(" ");
export const textNames = "name word title city mark line note text".split(" ");
export const localNames = "part value rest base found item".split(" ");
