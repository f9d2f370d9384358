# The program and every command explain themselves on standard output.
quipu --help
quipu help cat
quipu --version | grep -Eq '^quipu [0-9]+\.[0-9]+\.[0-9]+$'
for command in $(quipu --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    quipu "$command" --help >by_option
    quipu help "$command" >by_command
    cmp by_option by_command
    test "$(quipu "$command" --help | awk 'length > 80' | wc -l)" = 0
done
