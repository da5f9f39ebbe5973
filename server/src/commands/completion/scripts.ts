export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/**
 * The script of each shell. It knows no verb: at each Tab it asks the command line what can stand there, so that what it
 * offers is never older than the release. Where nothing is offered, the shell offers files.
 */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# Completion of evotrainer for bash: eval "$(evotrainer completion bash)"
_evotrainer() {
  local word rest
  COMPREPLY=()
  while IFS=$'\\t' read -r word rest; do
    COMPREPLY+=("$word")
  done < <(evotrainer completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _evotrainer evotrainer
`,
  zsh: `#compdef evotrainer
# Completion of evotrainer for zsh, behind your own compinit if you call it: eval "$(evotrainer completion zsh)"
_evotrainer() {
  local line
  local -a found
  for line in "\${(@f)$(evotrainer completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#found )); then _describe 'evotrainer' found; else _files; fi
}
if [[ $funcstack[1] == _evotrainer ]]; then
  _evotrainer "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _evotrainer evotrainer
fi
`,
  fish: `# Completion of evotrainer for fish: evotrainer completion fish | source
function __evotrainer_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found (evotrainer completion words -- $words[2..-1] "$current" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c evotrainer -f -a '(__evotrainer_complete)'
`,
};
