/* completion.c: completion scripts for bash, zsh and fish, from the tables of commands and options. */
#include "generate.h"

#include <quipu/quipu.h>

#include <string.h>

/* ---- Shared ---- */

static void put_word(void *context, const char *word) {
    fprintf(context, " %s", word);
}

static bool has_words(const struct option *option) {
    return option->kind == OPTION_CHOICE || option->kind == OPTION_COLUMN || option->kind == OPTION_KINDS ||
           option->kind == OPTION_FIELDS || option->kind == OPTION_FORMAT || option->kind == OPTION_TARGET ||
           option->kind == OPTION_SETTING;
}

static void put_commands(FILE *out) {
    for (size_t i = 0; i < command_count; i++)
        if (!commands[i].hidden)
            fprintf(out, " %s", commands[i].name);
}

static bool has_operand_words(const struct command *command) {
    return command->operand_kind == OPERAND_FORMATS || command->operand_kind == OPERAND_COMMANDS;
}

static void put_operand_words(FILE *out, const struct command *command) {
    if (command->operand_kind == OPERAND_COMMANDS)
        put_commands(out);
    if (command->operand_kind == OPERAND_FORMATS)
        for (size_t i = 0; i < quipu_format_count(); i++)
            if (quipu_format_at(i)->schema)
                fprintf(out, " %s", quipu_format_at(i)->name);
}

/* Text inside single quotes of a shell, with the characters that zsh's _arguments reads specially replaced. */
static void put_quoted(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (*text == '[' || *text == ']' || *text == ':')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

/* Several words with commas between them. */
static bool is_list(const struct option *option) {
    return option->kind == OPTION_KINDS || option->kind == OPTION_FIELDS || option->kind == OPTION_LIST;
}

/* The class of definitions whose names an option takes; NULL: none. */
static const char *class_of_names(const struct option *option) {
    if (option->id == OPTION_region || strcmp(option->argument, "REGION") == 0)
        return "regions";
    return option->id == OPTION_location ? "locations" : NULL;
}

/* What prints the names of definitions of a trace, a line each, with the shell's words for trace and definitions. */
#define NAMES_OF(trace, definition_class)                                                                      \
    "quipu definitions " trace " " definition_class " --csv --quiet 2>/dev/null | tail -n +2 | cut -d, -f3"

/* ---- bash ---- */

static void bash_argument(FILE *out, const struct option *option) {
    fprintf(out, "        --%s", option->long_name);
    if (option->short_name)
        fprintf(out, "|-%c", option->short_name);
    fputs(") ", out);
    if (class_of_names(option)) {
        fprintf(out, "_quipu_names %s; return ;;\n", class_of_names(option));
    } else if (has_words(option) && is_list(option)) {
        fputs("_quipu_list \"", out);
        option_words(option, put_word, out);
        fputs("\"; return ;;\n", out);
    } else if (has_words(option)) {
        fputs("COMPREPLY=($(compgen -W \"", out);
        option_words(option, put_word, out);
        fputs("\" -- \"$current\")); return ;;\n", out);
    } else if (option->kind == OPTION_OUTPUT) {
        fputs("COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n", out);
    } else {
        fputs("return ;;\n", out);
    }
}

static void bash_command(FILE *out, const struct command *command) {
    fprintf(out, "    %s)\n        case $previous in\n", command->name);
    for (size_t i = 0; i < command->option_count; i++)
        if (command->options[i].kind != OPTION_FLAG)
            bash_argument(out, &command->options[i]);
    fputs("        esac\n        words=\"", out);
    for (size_t i = 0; i < command->option_count; i++) {
        fprintf(out, " --%s", command->options[i].long_name);
        if (command->options[i].short_name)
            fprintf(out, " -%c", command->options[i].short_name);
    }
    fputs("\"\n        operands=\"", out);
    put_operand_words(out, command);
    fprintf(out, "\"\n        files=%s ;;\n", command->operand_kind == OPERAND_FILES ? "yes" : "");
}

void generate_bash(FILE *out) {
    fputs("# bash completion of quipu; made by \"quipu generate bash\"\n"
          "_quipu_list() { # WORDS: completes the last of several words with commas between them\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} before=\n"
          "    if [[ $current == *,* ]]; then before=${current%,*},; fi\n"
          "    COMPREPLY=($(compgen -P \"$before\" -W \"$1\" -- \"${current##*,}\"))\n"
          "    COMPREPLY=(\"${COMPREPLY[@]// /\\\\ }\")\n"
          "}\n"
          "_quipu_names() { # CLASS: names of definitions of the first trace on the command line\n"
          "    local word IFS=$'\\n'\n"
          "    for word in \"${COMP_WORDS[@]:2}\"; do\n"
          "        if [[ -e $word ]]; then\n"
          "            _quipu_list \"$(" NAMES_OF(
              "\"$word\"",
              "\"$1\"") ")\"\n"
                        "            return\n"
                        "        fi\n"
                        "    done\n"
                        "}\n"
                        "_quipu() {\n"
                        "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
                        "    local command= words= operands= files= word\n"
                        "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
                        "        case $word in -*) ;; *) command=$word; break ;; esac\n"
                        "    done\n",
          out);
    fputs("    case $command in\n    '')\n        words=\"--help --version\"\n        operands=\"", out);
    put_commands(out);
    fputs("\"\n        files=yes ;;\n", out);
    for (size_t i = 0; i < command_count; i++)
        if (!commands[i].hidden)
            bash_command(out, &commands[i]);
    fputs("    esac\n"
          "    if [[ $current == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
          "        return\n"
          "    fi\n"
          "    COMPREPLY=($(compgen -W \"$operands\" -- \"$current\"))\n"
          "    if [[ $files ]]; then COMPREPLY+=($(compgen -f -- \"$current\")); fi\n"
          "}\n"
          "complete -o filenames -F _quipu quipu\n",
          out);
}

/* ---- zsh ---- */

static void zsh_argument(FILE *out, const struct option *option) {
    fprintf(out, ":%s:", option->kind == OPTION_CHOICE ? "when" : option->argument);
    if (class_of_names(option)) {
        fprintf(out, " _quipu_names %s", class_of_names(option));
    } else if (has_words(option)) {
        fputs(is_list(option) ? " _quipu_list" : "(", out);
        option_words(option, put_word, out);
        fputs(is_list(option) ? "" : ")", out);
    } else if (option->kind == OPTION_OUTPUT) {
        fputs("_files", out);
    }
}

static void zsh_option(FILE *out, const struct option *option) {
    const bool has_argument = option->kind != OPTION_FLAG;
    fputs(" \\\n            '", out);
    if (option->short_name)
        fprintf(out, "(-%c --%s)'{-%c%s,--%s%s}'", option->short_name, option->long_name, option->short_name,
                has_argument ? "+" : "", option->long_name, has_argument ? "=" : "");
    else
        fprintf(out, "--%s%s", option->long_name, has_argument ? "=" : "");
    fputs("[", out);
    put_quoted(out, option->doc);
    fputs("]", out);
    if (has_argument)
        zsh_argument(out, option);
    fputs("'", out);
}

static void zsh_command(FILE *out, const struct command *command) {
    fprintf(out, "    %s)\n        _arguments", command->name);
    for (size_t i = 0; i < command->option_count; i++)
        zsh_option(out, &command->options[i]);
    if (command->operand_kind == OPERAND_FILES)
        fputs(" \\\n            '*:trace:_files'", out);
    if (has_operand_words(command)) {
        fputs(" \\\n            '1:operand:(", out);
        put_operand_words(out, command);
        fputs(")'", out);
    }
    fputs(" ;;\n", out);
}

void generate_zsh(FILE *out) {
    fputs("#compdef quipu\n# zsh completion of quipu; made by \"quipu generate zsh\"\n"
          "_quipu_list() { # WORDS: completes the last of several words with commas between them\n"
          "    compset -P '*,'\n"
          "    compadd -- \"$@\"\n"
          "}\n"
          "_quipu_names() { # CLASS: names of definitions of the first trace on the command line\n"
          "    local word\n"
          "    for word in ${(Q)words[2,-1]}; do\n"
          "        if [[ -e $word ]]; then\n"
          "            _quipu_list ${(f)\"$(" NAMES_OF("\"$word\"", "\"$1\"") ")\"}\n"
                                                                              "            return\n"
                                                                              "        fi\n"
                                                                              "    done\n"
                                                                              "}\n"
                                                                              "_quipu() {\n"
                                                                              "    local -a commands=(",
          out);
    for (size_t i = 0; i < command_count; i++) {
        if (commands[i].hidden)
            continue;
        fprintf(out, "\n        '%s:", commands[i].name);
        put_quoted(out, commands[i].doc);
        fputs("'", out);
    }
    fputs("\n    )\n"
          "    if (( CURRENT == 2 )); then\n"
          "        _describe command commands\n"
          "        _arguments '--help[explain the command]' '--version[print the version]' '*:trace:_files'\n"
          "        return\n"
          "    fi\n"
          "    local command=$words[2]\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "    case $command in\n",
          out);
    for (size_t i = 0; i < command_count; i++)
        if (!commands[i].hidden)
            zsh_command(out, &commands[i]);
    fputs("    *) _files ;;\n    esac\n}\n_quipu \"$@\"\n", out);
}

/* ---- fish ---- */

static void put_fish_quoted(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void fish_option(FILE *out, const struct command *command, const struct option *option) {
    fprintf(out, "complete -c quipu -n '__fish_seen_subcommand_from %s' -l %s", command->name,
            option->long_name);
    if (option->short_name)
        fprintf(out, " -s %c", option->short_name);
    if (option->kind == OPTION_OUTPUT)
        fputs(" -r -F", out);
    else if (option->kind != OPTION_FLAG)
        fputs(" -x", out);
    if (class_of_names(option)) {
        fprintf(out, " -a '(__quipu_names %s)'", class_of_names(option));
    } else if (has_words(option)) {
        fputs(is_list(option) ? " -a '(__quipu_list" : " -a '", out);
        option_words(option, put_word, out);
        fputs(is_list(option) ? ")'" : "'", out);
    }
    fputs(" -d '", out);
    put_fish_quoted(out, option->doc);
    fputs("'\n", out);
}

static void fish_command(FILE *out, const struct command *command) {
    fprintf(out, "complete -c quipu -n __fish_use_subcommand -a %s -d '", command->name);
    put_fish_quoted(out, command->doc);
    fputs("'\n", out);
    for (size_t i = 0; i < command->option_count; i++)
        fish_option(out, command, &command->options[i]);
    if (has_operand_words(command)) {
        fprintf(out, "complete -c quipu -f -n '__fish_seen_subcommand_from %s' -a '", command->name);
        put_operand_words(out, command);
        fputs("'\n", out);
    }
}

void generate_fish(FILE *out) {
    fputs("# fish completion of quipu; made by \"quipu generate fish\"\n"
          "function __quipu_list # WORDS: completes the last of several words with commas between them\n"
          "    set -l before (string match -r '^.*,' -- (string replace -r '^--[a-z-]+=' '' -- (commandline "
          "-ct)))\n"
          "    for word in $argv\n"
          "        echo \"$before$word\"\n"
          "    end\n"
          "end\n"
          "function __quipu_names # CLASS: names of definitions of the first trace on the command line\n"
          "    for word in (commandline -opc)[2..-1]\n"
          "        if test -e $word\n"
          "            __quipu_list (" NAMES_OF(
              "$word",
              "$argv[1]") ")\n"
                          "            return\n"
                          "        end\n"
                          "    end\n"
                          "end\n"
                          "complete -c quipu -n __fish_use_subcommand -l help -d 'explain the command'\n"
                          "complete -c quipu -n __fish_use_subcommand -l version -d 'print the version'\n",
          out);
    for (size_t i = 0; i < command_count; i++)
        if (!commands[i].hidden)
            fish_command(out, &commands[i]);
}
