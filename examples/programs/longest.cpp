// longest.cpp: the function of a trace that takes the most time of its own, by the analysis "profile".
#include <cstdio>
#include <memory>

#include <quipu/analysis.h>
#include <quipu/quipu.h>

namespace {

struct Closer {
    void operator()(quipu_reader *reader) const { quipu_reader_close(reader); }
    void operator()(quipu_tables *tables) const { quipu_tables_free(tables); }
};

int report(const quipu_error &err) {
    char text[512];
    std::fprintf(stderr, "%s\n", quipu_error_text(&err, text, sizeof text));
    return 1;
}

} // namespace

int main(int argc, char **argv) {
    quipu_error err = QUIPU_ERROR_INIT;
    quipu_reader *opened = nullptr;
    if (argc != 2 || quipu_reader_open(argv[1], nullptr, &opened, &err) != QUIPU_OK)
        return report(err);
    const std::unique_ptr<quipu_reader, Closer> reader(opened);

    const quipu_setting by_region = {"by", "region"};
    quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    options.settings = &by_region;
    options.setting_count = 1;
    options.sort = "exclusive_ns";
    quipu_tables *made = nullptr;
    if (quipu_analysis_run(reader.get(), "profile", &options, &made, &err) != QUIPU_OK)
        return report(err);
    const std::unique_ptr<quipu_tables, Closer> tables(made);

    const quipu_table *table = quipu_tables_at(tables.get(), 0);
    if (quipu_table_row_count(table) > 0)
        std::printf("%s\n", quipu_table_at(table, 0, quipu_table_column_find(table, "region"))->text);
    return 0;
}
