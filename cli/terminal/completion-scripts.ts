/**
 * The scripts for the shells. Each calls `momo complete -- WORDS`, which prints one line per suggestion (a word, a tab, a
 * description), and in the last line what the shell adds itself: `:files`, `:commands` or `:`.
 */

const bash = `# Completion of momo in bash. It needs nothing but bash itself, 3.2 or later.
_momo() {
  local line word="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default 2>/dev/null ;;
      :commands) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -c -- "$word" | sort -u) ;;
      :*) ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(momo complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _momo momo
`;

const zsh = `#compdef momo
# Completion of momo in zsh: source <(momo completion zsh), after compinit.
_momo() {
  local line word more=:
  local -a found
  while IFS= read -r line; do
    case $line in
      :*) more=$line ;;
      *)
        word=\${line%%$'\\t'*}
        found+=("\${word//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done < <(momo complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && _describe momo found
  case $more in
    :files) _files ;;
    :commands) _command_names -e ;;
  esac
}
if [[ \${funcstack[1]} == _momo ]]; then _momo "$@"; else compdef _momo momo; fi
`;

const fish = `# Completion of momo in fish: momo completion fish | source
function __momo_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (momo complete -- $words[2..] "$current" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path "$current"
            case ':commands'
                __fish_complete_command
            case ':*'
            case '*'
                printf '%s\\n' $line
        end
    end
end
complete -c momo -f -a '(__momo_complete)'
`;

const powershell = `# Completion of momo in PowerShell: momo completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName momo -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += '""' }
  momo complete -- @words 2>$null | Where-Object { $_ -notlike ':*' } | ForEach-Object {
    $word, $what = $_ -split "\`t", 2
    if (-not $what) { $what = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $what)
  }
}
`;

export const SCRIPTS = { bash, zsh, fish, powershell } as const;
