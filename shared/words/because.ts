/** Words that begin a sentence and are written small within one; a name stays as it is. */
const small =
  /^(?:The|This|That|These|Those|There|A|An|It|Its|In|Of|On|At|By|For|From|With|Without|If|When|Where|While|After|Before|As|To|So|All|Any|Each|Every|Few|Many|Most|More|Less|No|Nobody|None|Not|Nothing|Only|Other|Others|One|Both|Several|Some|Too|What|Whoever|They|We|You|Groups|Rollouts|Rewards|Policies|Failures|Answers|Items|Programs|Tests|Turns|Easy|Easier|Hard|Harder|Half|Fewer|Flat|Hotter|Cooler|Higher|Lower|Larger|Smaller|Long|Longer|Short|Shorter|Luck|Because|Ranked|\p{Lu}\p{Ll}+ing)\b/u;

/**
 * A reason behind what it is the reason for: `: it collapses`. Reasons are written as the end of a sentence or as sentences of
 * their own; one that begins with a name keeps its capital.
 */
export function becauseOf(reason: string): string {
  const said = reason.trim();
  if (said === "") return "";
  return `: ${small.test(said) ? said.charAt(0).toLowerCase() : said.charAt(0)}${said.slice(1)}`;
}
