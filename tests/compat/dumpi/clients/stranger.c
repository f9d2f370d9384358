/* stranger.c: a program that was compiled and linked elsewhere: it knows the library by its own declarations. Prototypes
 * come from the tables of the original (the test puts them in front), and so does what it was linked with. Writes the
 * sections whose functions have pointers where a mistake shows. */

int main(int argc, char **argv) {
    int32_t numbers[] = {0, 4, 8};
    const dumpi_sizeof sizes = {3, numbers};
    dumpi_perflabel_t labels[] = {"FIRST", "SECOND_COUNTER"};
    const uint64_t addresses[] = {7, UINT64_C(0x1122334455667788)};
    char *names[] = {"seven", "many"};
    libundumpi_cbpair pairs[293];
    dumpi_header header = {{13, 0, 0}, 5, "h", "u", 0, NULL, NULL};
    dumpi_profile *profile = dumpi_alloc_output_profile(1, 2, 0);
    if (argc != 2 || !profile)
        return 1;
    profile->file = dumpi_open_output_file(argv[1]);
    if (!dumpi_write_header(profile, &header) || !dumpi_write_datatype_sizes(profile, &sizes) ||
        !dumpi_write_perfctr_labels(profile, 2, labels) ||
        !dumpi_write_function_addresses(profile, 2, addresses, names) || !dumpi_write_index(profile))
        return 2;
    dumpi_free_output_profile(profile);
    memset(pairs, 0xff, sizeof pairs);
    libundumpi_populate_handlers(NULL, pairs);
    libundumpi_populate_callouts(NULL, pairs);
    return pairs[0].handler == libundumpi_grab_send && pairs[292].handler == libundumpi_grab_function_exit &&
                   !pairs[0].callout && !pairs[292].callout
               ? 0
               : 3;
}
