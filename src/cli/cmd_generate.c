/* cmd_generate.c: quipu generate, which builds of Quipu use: what is made from the tables of commands and options, and the completions of
 * shells, which ask "quipu complete". */
#include "generate.h"
#include "report.h"

#include <string.h>

static const struct {
    const char *name, *script;
} shells[] = {
    {"bash",
     "# bash completion of quipu; made by \"quipu generate bash\"\n"
     "_quipu() {\n"
     "    local line current=${COMP_WORDS[COMP_CWORD]}\n"
     "    COMPREPLY=()\n"
     "    while IFS= read -r line; do\n"
     "        line=${line%%$'\\t'*}\n"
     "        if [[ $line == ./ ]]; then\n"
     "            while IFS= read -r line; do COMPREPLY+=(\"$line\"); done < <(compgen -f -- \"$current\")\n"
     "        elif [[ $line == \"$current\"* ]]; then\n"
     "            COMPREPLY+=(\"${line// /\\\\ }\")\n"
     "        fi\n"
     "    done < <(quipu complete -- \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
     "}\n"
     "complete -o filenames -F _quipu quipu\n"},
    {"zsh", "#compdef quipu\n"
            "# zsh completion of quipu; made by \"quipu generate zsh\"\n"
            "_quipu() {\n"
            "    local line has_files\n"
            "    local -a found\n"
            "    for line in ${(f)\"$(quipu complete -- \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)\"}; do\n"
            "        if [[ $line == ./ ]]; then\n"
            "            has_files=yes\n"
            "        else\n"
            "            found+=(\"${${line%%$'\\t'*}//:/\\\\:}${${(M)line%%$'\\t'*}/$'\\t'/:}\")\n"
            "        fi\n"
            "    done\n"
            "    _describe quipu found\n"
            "    if [[ -n $has_files ]]; then _files; fi\n"
            "}\n"
            "_quipu \"$@\"\n"},
    {"fish", "# fish completion of quipu; made by \"quipu generate fish\"\n"
             "function __quipu_complete\n"
             "    set -l words (commandline -opc)\n"
             "    set -l current (commandline -ct)\n"
             "    for line in (quipu complete -- $words[2..-1] \"$current\" 2>/dev/null)\n"
             "        if test \"$line\" = ./\n"
             "            __fish_complete_path \"$current\"\n"
             "        else\n"
             "            echo $line\n"
             "        end\n"
             "    end\n"
             "end\n"
             "complete -c quipu -f -a '(__quipu_complete)'\n"},
};

enum exit_code command_generate(const struct arguments *arguments) {
    const char *what = arguments->operands[0];
    const bool has_folder = arguments->operand_count == 2;
    if (strcmp(what, "man") == 0 && has_folder)
        return generate_man(arguments->operands[1]);
    if (strcmp(what, "man-formats") == 0 && has_folder)
        return generate_man_formats(arguments->operands[1]);
    if (strcmp(what, "readme-formats") == 0)
        return generate_readme_formats(stdout);
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(what, shells[i].name) == 0) {
            fputs(shells[i].script, stdout);
            return EXIT_FINE;
        }
    }
    return report_usage("generate makes %s", arguments->command->operands);
}
