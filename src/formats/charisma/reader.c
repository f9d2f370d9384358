/* reader.c: the records of a file in file order. */
#include "formats/charisma/format.h"

void quipu__charisma_count_bytes(struct quipu__charisma_pass *pass) {
    pass->common.bytes = quipu__input_offset(pass->walk.input);
    if (pass->walk.has_ended)
        pass->common.bytes += (uint64_t)(pass->walk.input->end - pass->walk.input->at);
    if (pass->common.substream == QUIPU__RECORDS)
        pass->common.skipped = pass->walk.skipped;
}

void quipu__charisma_count(struct quipu__charisma_pass *pass) {
    pass->common.records++;
    if (pass->common.records_of)
        pass->common.records_of[pass->walk.type]++;
    pass->common.bytes = pass->walk.offset + pass->walk.bytes;
}

void quipu__charisma_count_requests(struct quipu__charisma_pass *pass, uint32_t count) {
    pass->common.records += count;
    if (pass->common.records_of)
        pass->common.records_of[QUIPU__CHARISMA_TYPE_rw] += count;
    pass->common.bytes = quipu__input_offset(pass->walk.input);
}

enum quipu_status quipu__charisma_next_record(struct quipu__pass *common, struct quipu_record *out,
                                              struct quipu_error *err) {
    struct quipu__charisma_pass *pass = (struct quipu__charisma_pass *)common;
    const enum quipu_status status = quipu__charisma_walk_next(&pass->walk, err);
    if (status != QUIPU_OK) {
        quipu__charisma_count_bytes(pass);
        return status;
    }
    *out = (struct quipu_record){
        .type = &quipu__charisma_types[pass->walk.type],
        .data = &pass->walk.data,
        .stream = common->stream,
        .byte_offset = pass->walk.offset,
        .line = QUIPU_UNKNOWN,
        .index = common->records,
    };
    quipu__charisma_count(pass);
    return QUIPU_OK;
}
