# Completion of momo in bash. It needs nothing but bash itself, 3.2 or later.
_momo() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    # A suggestion, a tab and what it is; the last line, with a colon, is for other shells.
    [[ $line == :* ]] || COMPREPLY+=("${line%%$'\t'*}")
  done < <(momo complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
# Where momo has nothing to offer, files.
complete -o default -F _momo momo
