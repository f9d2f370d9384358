/* Datatypes: constructors, what they are made of, sizes, packing, names and attributes. */
#include "seen.h"

struct pair {
    char letter;
    double value;
};

/* What a type says of itself, by the true counts. */
static void see_type(const char *what, MPI_Datatype type) {
    int bytes = -9, integers = -9, addresses = -9, types = -9, combiner = -9;
    MPI_Aint lower = -9, extent = -9, true_lower = -9, true_extent = -9;
    MPI_Count long_size = -9;
    see("%s\n", what);
    see_handle("  handle", MPI_Type, type);
    CALL(MPI_Type_size(type, &bytes));
    CALL(MPI_Type_size_x(type, &long_size));
    CALL(MPI_Type_get_extent(type, &lower, &extent));
    CALL(MPI_Type_get_true_extent(type, &true_lower, &true_extent));
    see("  %d %ld %ld %ld %ld %ld\n", bytes, (long)long_size, (long)lower, (long)extent, (long)true_lower,
        (long)true_extent);
    CALL(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
    see("  %d %d %d named %d\n", integers, addresses, types, combiner == MPI_COMBINER_NAMED);
    if (combiner == MPI_COMBINER_NAMED)
        return;
    int integer[64];
    MPI_Aint address[64];
    MPI_Datatype inner[64];
    untouched(integer, sizeof integer);
    untouched(address, sizeof address);
    CALL(MPI_Type_get_contents(type, integers, addresses, types, integer, address, inner));
    see_ints("  integers", integer, integers + 1);
    see_bytes("  addresses", address, (size_t)(addresses + 1) * sizeof *address);
    for (int i = 0; i < types; i++) {
        int a, b, c, inner_combiner = -9;
        CALL(MPI_Type_get_envelope(inner[i], &a, &b, &c, &inner_combiner));
        see("  inner named %d\n", inner_combiner == MPI_COMBINER_NAMED);
        if (inner_combiner != MPI_COMBINER_NAMED)
            MPI_Type_free(&inner[i]);
    }
}

/* One item through a message to ourselves and back as bytes. */
static void see_transfer(MPI_Datatype type) {
    static unsigned char from[4096], to[4096];
    MPI_Status status;
    int count = -9, position = 0, room = -9;
    char packed[4096];
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 7 + 1);
    untouched(to, sizeof to);
    untouched(packed, sizeof packed);
    CALL(MPI_Sendrecv(from + 1024, 1, type, 0, 1, to + 1024, 1, type, 0, 1, MPI_COMM_SELF, &status));
    CALL(MPI_Get_count(&status, type, &count));
    see("  count %d\n", count);
    see_bytes("  moved", to + 900, 600);
    CALL(MPI_Pack_size(1, type, MPI_COMM_SELF, &room));
    CALL(MPI_Pack(from + 1024, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF));
    see("  packed %d of %d\n", position, room);
    see_bytes("  packed", packed, 200);
    untouched(to, sizeof to);
    position = 0;
    CALL(MPI_Unpack(packed, room, &position, to + 1024, 1, type, MPI_COMM_SELF));
    see_bytes("  unpacked", to + 900, 600);
}

static void see_new(const char *what, MPI_Datatype type) {
    see_type(what, type);
    CALL(MPI_Type_commit(&type));
    see_transfer(type);
    CALL(MPI_Type_free(&type));
    see("  null %d\n", type == MPI_DATATYPE_NULL);
}

static void constructors(void) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int lengths[] = {2, 0, 3}, steps[] = {4, 1, -2};
    const MPI_Aint offsets[] = {16, 0, 40};
    MPI_Datatype kinds[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
    CALL(MPI_Type_contiguous(3, MPI_SHORT, &type));
    see_new("contiguous", type);
    CALL(MPI_Type_vector(3, 2, 4, MPI_INT, &type));
    see_new("vector", type);
    CALL(MPI_Type_create_hvector(3, 2, 20, MPI_INT, &type));
    see_new("hvector", type);
    CALL(MPI_Type_indexed(3, lengths, steps, MPI_INT, &type));
    see_new("indexed", type);
    CALL(MPI_Type_create_hindexed(3, lengths, offsets, MPI_CHAR, &type));
    see_new("hindexed", type);
    CALL(MPI_Type_create_indexed_block(3, 2, steps, MPI_INT, &type));
    see_new("indexed block", type);
    CALL(MPI_Type_create_hindexed_block(3, 2, offsets, MPI_INT, &type));
    see_new("hindexed block", type);
    CALL(MPI_Type_create_struct(3, lengths, offsets, kinds, &type));
    see_new("struct", type);
    CALL(MPI_Type_create_subarray(2, (int[]){5, 6}, (int[]){2, 3}, (int[]){1, 2}, MPI_ORDER_C, MPI_INT, &type));
    see_new("subarray", type);
    CALL(MPI_Type_create_darray(4, rank, 2, (int[]){6, 8}, (int[]){MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
                                (int[]){MPI_DISTRIBUTE_DFLT_DARG, 2}, (int[]){2, 2}, MPI_ORDER_FORTRAN, MPI_INT,
                                &type));
    see_new("darray", type);
    CALL(MPI_Type_create_resized(MPI_INT, -4, 24, &type));
    see_new("resized", type);
    CALL(MPI_Type_dup(MPI_DOUBLE, &type));
    see_new("dup", type);
    CALL(MPI_Type_create_f90_integer(9, &type));
    see_type("f90 integer", type);
    CALL(MPI_Type_create_f90_real(6, 30, &type));
    see_type("f90 real", type);
    CALL(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 8, &type));
    see_type("matched", type);
}

static void nested(void) {
    MPI_Datatype row, grid;
    CALL(MPI_Type_contiguous(4, MPI_INT, &row));
    CALL(MPI_Type_vector(2, 1, 3, row, &grid));
    CALL(MPI_Type_free(&row));
    see_new("nested", grid);
    see_type("integer", MPI_INT);
}

static void external(void) {
    char packed[64];
    MPI_Aint position = 0, room = -9;
    int values[3] = {1, 2, 3}, again[4];
    untouched(packed, sizeof packed);
    untouched(again, sizeof again);
    CALL(MPI_Pack_external_size("external32", 3, MPI_INT, &room));
    CALL(MPI_Pack_external("external32", values, 3, MPI_INT, packed, sizeof packed, &position));
    see("external %ld %ld\n", (long)room, (long)position);
    see_bytes("packed", packed, sizeof packed);
    position = 0;
    CALL(MPI_Unpack_external("external32", packed, sizeof packed, &position, again, 3, MPI_INT));
    see_ints("again", again, 4);
}

static int copy(MPI_Datatype type, int key, void *extra, void *value, void *out, int *flag) {
    int bytes = -9;
    (void)key;
    MPI_Type_size(type, &bytes);
    see("copy %d %d %d\n", *(int *)extra, *(int *)value, bytes);
    *(void **)out = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static int discard(MPI_Datatype type, int key, void *value, void *extra) {
    (void)type, (void)key;
    see("delete %d %d\n", *(int *)extra, *(int *)value);
    return MPI_SUCCESS;
}

static void attributes(void) {
    int key = -9, extra = 31, value = 32, flag = -9, len = -9, *found = NULL;
    char name[MPI_MAX_OBJECT_NAME] = "";
    MPI_Datatype type, twin;
    CALL(MPI_Type_contiguous(2, MPI_INT, &type));
    CALL(MPI_Type_create_keyval(copy, discard, &key, &extra));
    see("key %d\n", key);
    CALL(MPI_Type_set_attr(type, key, &value));
    CALL(MPI_Type_dup(type, &twin));
    CALL(MPI_Type_get_attr(twin, key, &found, &flag));
    see("found %d %d\n", flag, found == &value);
    CALL(MPI_Type_delete_attr(twin, key));
    CALL(MPI_Type_get_attr(twin, key, &found, &flag));
    see("found %d\n", flag);
    CALL(MPI_Type_set_name(type, "two integers"));
    CALL(MPI_Type_get_name(type, name, &len));
    see("name %s %d\n", name, len);
    CALL(MPI_Type_get_name(MPI_DOUBLE, name, &len));
    see("name %s %d\n", name, len);
    CALL(MPI_Type_free(&twin));
    CALL(MPI_Type_free(&type));
    CALL(MPI_Type_free_keyval(&key));
    see("key %d\n", key == MPI_KEYVAL_INVALID);
}

static void addresses(void) {
    struct pair items[3];
    MPI_Aint first = 0, second = 0;
    CALL(MPI_Get_address(&items[0].value, &first));
    CALL(MPI_Get_address(&items[2].value, &second));
    see("apart %ld %ld\n", (long)(second - first), (long)MPI_Aint_diff(second, first));
    see("sum %d\n", MPI_Aint_add(first, second - first) == second);
    MPI_Status status;
    untouched(&status, sizeof status);
    int elements = -9;
    CALL(MPI_Status_set_elements(&status, MPI_INT, 6));
    CALL(MPI_Status_set_cancelled(&status, 0));
    CALL(MPI_Get_elements(&status, MPI_INT, &elements));
    see("elements %d\n", elements);
}

int main(int argc, char **argv) {
    seen_init(&argc, &argv, "datatypes");
    constructors();
    nested();
    external();
    attributes();
    addresses();
    return seen_finalize(0);
}
