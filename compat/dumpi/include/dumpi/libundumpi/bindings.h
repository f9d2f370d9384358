/* bindings.h: reading call by call.
 * Made by tools/dumpi-headers from the record tables: change those. */
#ifndef DUMPI_LIBUNDUMPI_BINDINGS_H
#define DUMPI_LIBUNDUMPI_BINDINGS_H

/* clang-format off */
#include <dumpi/libundumpi/callbacks.h>
#include <dumpi/libundumpi/libundumpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A callback whose kind of call is not known. */
typedef int (*libundumpi_unsafe_fun)(const void *parsearg, uint16_t thread, const dumpi_time *cpu, const dumpi_time *wall,
    const dumpi_perfinfo *perf, void *userarg);

/* What reads a call and hands it to a callback. */
typedef int (*libdumpi_do_callback)(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *userarg);

/* One for each number of a call. */
typedef struct libundumpi_cbpair {
    libdumpi_do_callback handler;  /* the library's own, by default */
    libundumpi_unsafe_fun callout; /* NULL: read and skip */
} libundumpi_cbpair;

/* Fill an array of DUMPI_END_OF_STREAM pairs, or one half of each. */
void libundumpi_populate_callbacks(const libundumpi_callbacks *callback, libundumpi_cbpair *callarr);
void libundumpi_populate_handlers(const libundumpi_callbacks *callback, libundumpi_cbpair *callarr);
void libundumpi_populate_callouts(const libundumpi_callbacks *callback, libundumpi_cbpair *callarr);

/* Each reads the call at the position of profile->file, whose number was taken already, and hands it to callout, cast to
 * the type of its callback. Returns what that returns; 1 without one; 0 when there is no such call. The last two have no
 * calls; libundumpi_grab_pcontrol is in no library. */
int libundumpi_grab_send(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_recv(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_get_count(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_bsend(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_ssend(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_rsend(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_buffer_attach(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_buffer_detach(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_isend(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_ibsend(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_issend(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_irsend(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_irecv(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_wait(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_test(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_request_free(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_waitany(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_testany(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_waitall(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_testall(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_waitsome(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_testsome(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_iprobe(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_probe(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_cancel(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_test_cancelled(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_send_init(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_bsend_init(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_ssend_init(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_rsend_init(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_recv_init(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_start(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_startall(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_sendrecv(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_sendrecv_replace(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_contiguous(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_vector(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_hvector(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_indexed(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_hindexed(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_struct(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_address(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_extent(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_size(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_lb(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_ub(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_commit(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_free(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_get_elements(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_pack(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_unpack(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_pack_size(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_barrier(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_bcast(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_gather(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_gatherv(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_scatter(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_scatterv(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_allgather(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_allgatherv(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_alltoall(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_alltoallv(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_reduce(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_op_create(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_op_free(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_allreduce(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_reduce_scatter(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_scan(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_group_size(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_group_rank(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_group_translate_ranks(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_group_compare(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_group(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_group_union(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_group_intersection(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_group_difference(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_group_incl(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_group_excl(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_group_range_incl(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_group_range_excl(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_group_free(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_size(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_rank(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_compare(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_dup(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_create(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_split(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_free(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_test_inter(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_remote_size(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_remote_group(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_intercomm_create(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_intercomm_merge(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_keyval_create(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_keyval_free(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_attr_put(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_attr_get(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_attr_delete(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_topo_test(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_cart_create(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_dims_create(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_graph_create(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_graphdims_get(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_graph_get(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_cartdim_get(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_cart_get(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_cart_rank(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_cart_coords(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_graph_neighbors_count(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_graph_neighbors(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_cart_shift(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_cart_sub(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_cart_map(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_graph_map(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_get_processor_name(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_get_version(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_errhandler_create(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_errhandler_set(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_errhandler_get(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_errhandler_free(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_error_string(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_error_class(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_wtime(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_wtick(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_init(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_finalize(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_initialized(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_abort(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_close_port(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_accept(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_connect(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_disconnect(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_get_parent(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_join(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_spawn(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_spawn_multiple(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_lookup_name(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_open_port(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_publish_name(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_unpublish_name(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_accumulate(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_get(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_put(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_complete(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_create(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_fence(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_free(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_get_group(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_lock(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_post(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_start(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_test(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_unlock(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_wait(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_alltoallw(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_exscan(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_add_error_class(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_add_error_code(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_add_error_string(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_call_errhandler(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_create_keyval(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_delete_attr(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_free_keyval(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_get_attr(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_get_name(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_set_attr(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_set_name(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_call_errhandler(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_grequest_complete(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_grequest_start(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_init_thread(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_is_thread_main(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_query_thread(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_status_set_cancelled(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_status_set_elements(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_create_keyval(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_delete_attr(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_dup(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_free_keyval(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_get_attr(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_get_contents(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_get_envelope(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_get_name(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_set_attr(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_set_name(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_match_size(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_call_errhandler(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_create_keyval(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_delete_attr(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_free_keyval(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_get_attr(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_get_name(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_set_attr(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_set_name(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_alloc_mem(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_create_errhandler(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_get_errhandler(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_comm_set_errhandler(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_create_errhandler(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_get_errhandler(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_set_errhandler(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_finalized(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_free_mem(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_get_address(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_info_create(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_info_delete(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_info_dup(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_info_free(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_info_get(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_info_get_nkeys(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_info_get_nthkey(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_info_get_valuelen(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_info_set(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_pack_external(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_pack_external_size(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_request_get_status(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_create_darray(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_create_hindexed(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_create_hvector(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_create_indexed_block(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_create_resized(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_create_struct(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_create_subarray(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_get_extent(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_type_get_true_extent(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_unpack_external(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_create_errhandler(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_get_errhandler(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_win_set_errhandler(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_open(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_close(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_delete(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_set_size(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_preallocate(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_get_size(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_get_group(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_get_amode(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_set_info(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_get_info(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_set_view(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_get_view(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_read_at(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_read_at_all(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_write_at(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_write_at_all(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_iread_at(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_iwrite_at(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_read(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_read_all(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_write(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_write_all(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_iread(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_iwrite(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_seek(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_get_position(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_get_byte_offset(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_read_shared(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_write_shared(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_iread_shared(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_iwrite_shared(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_read_ordered(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_write_ordered(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_seek_shared(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_get_position_shared(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_read_at_all_begin(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_read_at_all_end(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_write_at_all_begin(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_write_at_all_end(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_read_all_begin(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_read_all_end(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_write_all_begin(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_write_all_end(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_read_ordered_begin(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_read_ordered_end(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_write_ordered_begin(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_write_ordered_end(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_get_type_extent(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_register_datarep(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_set_atomicity(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_get_atomicity(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_file_sync(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libdumpi_grab_io_test(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libdumpi_grab_io_wait(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libdumpi_grab_io_testall(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libdumpi_grab_io_waitall(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libdumpi_grab_io_testany(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libdumpi_grab_io_waitany(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libdumpi_grab_io_waitsome(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libdumpi_grab_io_testsome(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_function_enter(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_function_exit(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_all_functions(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);
int libundumpi_grab_pcontrol(dumpi_profile *profile, libundumpi_unsafe_fun callout, void *uarg);

#ifdef __cplusplus
}
#endif
#endif
