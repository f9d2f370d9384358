/* numbers.c: numbering of handles and constants. */
#include "record/mpi/numbers.h"

#include <string.h>

#define LIFT 1000 /* numbers of constants are stored above 0, where maps have room for them */
#define SPACES_OF_HANDLES (QUIPU__MPI_SPACE_keyval + 1)

static const char *const names[QUIPU__MPI_SPACE_COUNT] = {
#define SPACE(name) #name,
    QUIPU__MPI_SPACES
#undef SPACE
};

/* The first number of a user's handle. */
static const uint32_t first_numbers[SPACES_OF_HANDLES] = {
    [QUIPU__MPI_SPACE_comm] = 4,   [QUIPU__MPI_SPACE_dtype] = 28, [QUIPU__MPI_SPACE_group] = 3,
    [QUIPU__MPI_SPACE_op] = 15,    [QUIPU__MPI_SPACE_req] = 2,    [QUIPU__MPI_SPACE_info] = 1,
    [QUIPU__MPI_SPACE_file] = 1,   [QUIPU__MPI_SPACE_win] = 1,    [QUIPU__MPI_SPACE_errh] = 2,
    [QUIPU__MPI_SPACE_keyval] = 10};

void quipu__mpi_numbers_init(struct quipu__mpi_numbers *numbers, struct quipu__memory *memory) {
    *numbers = (struct quipu__mpi_numbers){.has_failed = false};
    for (unsigned i = 0; i < QUIPU__MPI_SPACE_COUNT; i++)
        quipu__map_init(&numbers->of[i], memory);
    memcpy(numbers->next, first_numbers, sizeof first_numbers);
    quipu__map_init(&numbers->type_sizes, memory);
    quipu__map_init(&numbers->sized, memory);
}

void quipu__mpi_numbers_release(struct quipu__mpi_numbers *numbers, struct quipu__memory *memory) {
    for (unsigned i = 0; i < QUIPU__MPI_SPACE_COUNT; i++)
        quipu__map_release(&numbers->of[i]);
    quipu__map_release(&numbers->type_sizes);
    quipu__map_release(&numbers->sized);
    QUIPU__VEC_RELEASE(memory, &numbers->sizes);
}

static void put(struct quipu__mpi_numbers *numbers, struct quipu__map *map, uint64_t key, uint32_t value) {
    if (!quipu__map_put(map, key, value))
        numbers->has_failed = true;
}

void quipu__mpi_predefine(struct quipu__mpi_numbers *numbers, unsigned space, const uint8_t *data,
                          size_t size) {
    struct quipu__mpi_pair pair;
    for (size_t i = 0; space < QUIPU__MPI_SPACE_COUNT && i + sizeof pair <= size; i += sizeof pair) {
        memcpy(&pair, data + i, sizeof pair);
        const bool is_handle = space < SPACES_OF_HANDLES;
        if (!is_handle || pair.number >= 0)
            put(numbers, &numbers->of[space], pair.value, (uint32_t)(pair.number + (is_handle ? 0 : LIFT)));
    }
}

void quipu__mpi_renumber(struct quipu__mpi_numbers *numbers, const uint8_t *data, size_t size) {
    struct quipu__map *map = &numbers->of[QUIPU__MPI_SPACE_comm];
    struct quipu__mpi_pair pair;
    if (size < sizeof pair)
        return;
    memcpy(&pair, data, sizeof pair);
    if (pair.number >= 0)
        put(numbers, map, pair.value, (uint32_t)pair.number);
    else
        quipu__map_remove(map, pair.value);
}

static uint64_t key_of(const struct quipu__mpi_numbers *numbers, uint64_t type, int64_t size) {
    const uint64_t words[2] = {type, (uint64_t)size};
    return quipu__hash(words, sizeof words, numbers->sized.seed);
}

/* DUMPI has numbers of 16 bits: behind the last, types of one value share a number again. */
static void renumber_type(struct quipu__mpi_numbers *numbers, uint64_t type, uint32_t before, int64_t size) {
    put(numbers, &numbers->sized, key_of(numbers, type, numbers->sizes.items[before]), before);
    uint32_t number = quipu__map_get(&numbers->sized, key_of(numbers, type, size));
    if (number == QUIPU_NONE && numbers->next[QUIPU__MPI_SPACE_dtype] <= INT16_MAX)
        number = numbers->next[QUIPU__MPI_SPACE_dtype]++;
    if (number != QUIPU_NONE)
        put(numbers, &numbers->of[QUIPU__MPI_SPACE_dtype], type, number);
}

void quipu__mpi_set_size(struct quipu__mpi_numbers *numbers, uint64_t type, int64_t size) {
    if (size < 0 || size > INT32_MAX)
        return;
    const uint32_t number = quipu__map_get(&numbers->of[QUIPU__MPI_SPACE_dtype], type);
    const bool was_sized = quipu__map_get(&numbers->type_sizes, type) != QUIPU_NONE;
    if (was_sized && number < numbers->sizes.count && numbers->sizes.items[number] != size)
        renumber_type(numbers, type, number, size);
    put(numbers, &numbers->type_sizes, type, (uint32_t)size);
}

unsigned quipu__mpi_space_of(const char *domain) {
    if (strcmp(domain, "ioreq") == 0) /* the MPIs have one kind of requests */
        return QUIPU__MPI_SPACE_req;
    for (unsigned i = 0; i < QUIPU__MPI_SPACE_COUNT; i++)
        if (strcmp(domain, names[i]) == 0)
            return i;
    return QUIPU__MPI_SPACE_COUNT;
}

/* The size of a type is known by now, or never. */
static void remember_size(struct quipu__mpi_numbers *numbers, struct quipu__memory *memory, uint32_t number,
                          uint64_t type) {
    const uint32_t size = quipu__map_get(&numbers->type_sizes, type);
    if (size == QUIPU_NONE || number > INT16_MAX)
        return;
    const size_t more = number < numbers->sizes.count ? 0 : number + 1 - numbers->sizes.count;
    if (more > 0 && !QUIPU__VEC_RESERVE(memory, &numbers->sizes, more)) {
        numbers->has_failed = true;
        return;
    }
    numbers->sizes.count += more;
    numbers->sizes.items[number] = (int32_t)size;
}

/* Those of predefined types are known whether a call has them or not. */
void quipu__mpi_set_sizes(struct quipu__mpi_numbers *numbers, struct quipu__memory *memory, const uint8_t *data,
                          size_t size) {
    struct quipu__mpi_pair pair;
    for (size_t i = 0; i + sizeof pair <= size; i += sizeof pair) {
        memcpy(&pair, data + i, sizeof pair);
        quipu__mpi_set_size(numbers, pair.value, pair.number);
        const uint32_t number = quipu__map_get(&numbers->of[QUIPU__MPI_SPACE_dtype], pair.value);
        if (number != QUIPU_NONE)
            remember_size(numbers, memory, number, pair.value);
    }
}

static uint32_t handle_number(struct quipu__mpi_numbers *numbers, unsigned space, uint64_t value) {
    uint32_t number = quipu__map_get(&numbers->of[space], value);
    if (number == QUIPU_NONE) {
        number = numbers->next[space]++;
        put(numbers, &numbers->of[space], value, number);
    }
    return number;
}

/* Assertions are bits in MPI and in DUMPI. */
static int64_t assertion_bits(const struct quipu__mpi_numbers *numbers, int64_t value) {
    int64_t bits = 0;
    for (unsigned i = 0; i < 32; i++) {
        const uint64_t bit = (uint64_t)value & UINT64_C(1) << i;
        const uint32_t number = bit ? quipu__map_get(&numbers->of[QUIPU__MPI_SPACE_wassert], bit) : QUIPU_NONE;
        bits |= number == QUIPU_NONE ? 0 : (int64_t)number - LIFT;
    }
    return bits;
}

/* Values without a number are themselves; those of enumerations are the error. */
static bool is_rank_or_tag(unsigned space) {
    return space == QUIPU__MPI_SPACE_source || space == QUIPU__MPI_SPACE_dest || space == QUIPU__MPI_SPACE_tag;
}

int64_t quipu__mpi_number(struct quipu__mpi_numbers *numbers, struct quipu__memory *memory, unsigned space,
                          int64_t value) {
    if (space >= QUIPU__MPI_SPACE_COUNT)
        return value;
    if (space == QUIPU__MPI_SPACE_wassert)
        return assertion_bits(numbers, value);
    if (space < SPACES_OF_HANDLES) {
        const uint32_t number = handle_number(numbers, space, (uint64_t)value);
        if (space == QUIPU__MPI_SPACE_dtype)
            remember_size(numbers, memory, number, (uint64_t)value);
        return number;
    }
    const uint32_t found = quipu__map_get(&numbers->of[space], (uint64_t)value);
    if (found != QUIPU_NONE)
        return (int64_t)found - LIFT;
    return is_rank_or_tag(space) ? value : 0;
}

/* Messages are numbered among requests, by keys that no handle has. */
#define MESSAGE_KEY UINT64_C(0x8000000000000000)

int64_t quipu__mpi_message_number(struct quipu__mpi_numbers *numbers, struct quipu__memory *memory,
                                  uint64_t message) {
    return quipu__mpi_number(numbers, memory, QUIPU__MPI_SPACE_req, (int64_t)(message ^ MESSAGE_KEY));
}

void quipu__mpi_receive_message(struct quipu__mpi_numbers *numbers, uint64_t message, uint64_t request) {
    struct quipu__map *map = &numbers->of[QUIPU__MPI_SPACE_req];
    const uint32_t number = quipu__map_get(map, message ^ MESSAGE_KEY);
    if (number == QUIPU_NONE)
        return;
    put(numbers, map, request, number);
    quipu__map_remove(map, message ^ MESSAGE_KEY);
}
