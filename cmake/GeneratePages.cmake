# Lets the command QUIPU print its man pages and shell completions into SHARE, laid out as below PREFIX/share.
function(print_page path)
    get_filename_component(folder ${SHARE}/${path} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    execute_process(COMMAND ${QUIPU} generate ${ARGN} OUTPUT_FILE ${SHARE}/${path} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${SHARE})
file(MAKE_DIRECTORY ${SHARE}/man/man1 ${SHARE}/man/man5)
execute_process(COMMAND ${QUIPU} generate man ${SHARE}/man/man1 COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${QUIPU} generate man-formats ${SHARE}/man/man5 COMMAND_ERROR_IS_FATAL ANY)
print_page(bash-completion/completions/quipu bash)
print_page(zsh/site-functions/_quipu zsh)
print_page(fish/vendor_completions.d/quipu.fish fish)
