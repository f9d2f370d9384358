/* io.h: writing calls.
 * Made by tools/dumpi-headers from the record tables: change those. */
#ifndef DUMPI_COMMON_IO_H
#define DUMPI_COMMON_IO_H

/* clang-format off */
#include <dumpi/common/argtypes.h>
#include <dumpi/common/dumpiio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each appends a call to the file that the profile writes, if outputs->function[number] is not 0. Non-zero: done. */
int dumpi_write_send(const dumpi_send *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_recv(const dumpi_recv *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_get_count(const dumpi_get_count *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_bsend(const dumpi_bsend *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_ssend(const dumpi_ssend *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_rsend(const dumpi_rsend *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_buffer_attach(const dumpi_buffer_attach *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_buffer_detach(const dumpi_buffer_detach *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_isend(const dumpi_isend *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_ibsend(const dumpi_ibsend *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_issend(const dumpi_issend *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_irsend(const dumpi_irsend *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_irecv(const dumpi_irecv *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_wait(const dumpi_wait *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_test(const dumpi_test *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_request_free(const dumpi_request_free *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_waitany(const dumpi_waitany *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_testany(const dumpi_testany *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_waitall(const dumpi_waitall *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_testall(const dumpi_testall *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_waitsome(const dumpi_waitsome *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_testsome(const dumpi_testsome *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_iprobe(const dumpi_iprobe *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_probe(const dumpi_probe *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_cancel(const dumpi_cancel *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_test_cancelled(const dumpi_test_cancelled *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_send_init(const dumpi_send_init *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_bsend_init(const dumpi_bsend_init *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_ssend_init(const dumpi_ssend_init *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_rsend_init(const dumpi_rsend_init *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_recv_init(const dumpi_recv_init *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_start(const dumpi_start *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_startall(const dumpi_startall *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_sendrecv(const dumpi_sendrecv *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_sendrecv_replace(const dumpi_sendrecv_replace *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_contiguous(const dumpi_type_contiguous *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_vector(const dumpi_type_vector *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_hvector(const dumpi_type_hvector *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_indexed(const dumpi_type_indexed *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_hindexed(const dumpi_type_hindexed *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_struct(const dumpi_type_struct *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_address(const dumpi_address *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_extent(const dumpi_type_extent *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_size(const dumpi_type_size *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_lb(const dumpi_type_lb *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_ub(const dumpi_type_ub *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_commit(const dumpi_type_commit *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_free(const dumpi_type_free *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_get_elements(const dumpi_get_elements *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_pack(const dumpi_pack *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_unpack(const dumpi_unpack *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_pack_size(const dumpi_pack_size *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_barrier(const dumpi_barrier *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_bcast(const dumpi_bcast *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_gather(const dumpi_gather *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_gatherv(const dumpi_gatherv *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_scatter(const dumpi_scatter *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_scatterv(const dumpi_scatterv *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_allgather(const dumpi_allgather *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_allgatherv(const dumpi_allgatherv *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_alltoall(const dumpi_alltoall *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_alltoallv(const dumpi_alltoallv *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_reduce(const dumpi_reduce *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_op_create(const dumpi_op_create *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_op_free(const dumpi_op_free *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_allreduce(const dumpi_allreduce *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_reduce_scatter(const dumpi_reduce_scatter *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_scan(const dumpi_scan *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_group_size(const dumpi_group_size *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_group_rank(const dumpi_group_rank *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_group_translate_ranks(const dumpi_group_translate_ranks *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_group_compare(const dumpi_group_compare *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_group(const dumpi_comm_group *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_group_union(const dumpi_group_union *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_group_intersection(const dumpi_group_intersection *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_group_difference(const dumpi_group_difference *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_group_incl(const dumpi_group_incl *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_group_excl(const dumpi_group_excl *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_group_range_incl(const dumpi_group_range_incl *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_group_range_excl(const dumpi_group_range_excl *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_group_free(const dumpi_group_free *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_size(const dumpi_comm_size *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_rank(const dumpi_comm_rank *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_compare(const dumpi_comm_compare *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_dup(const dumpi_comm_dup *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_create(const dumpi_comm_create *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_split(const dumpi_comm_split *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_free(const dumpi_comm_free *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_test_inter(const dumpi_comm_test_inter *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_remote_size(const dumpi_comm_remote_size *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_remote_group(const dumpi_comm_remote_group *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_intercomm_create(const dumpi_intercomm_create *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_intercomm_merge(const dumpi_intercomm_merge *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_keyval_create(const dumpi_keyval_create *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_keyval_free(const dumpi_keyval_free *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_attr_put(const dumpi_attr_put *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_attr_get(const dumpi_attr_get *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_attr_delete(const dumpi_attr_delete *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_topo_test(const dumpi_topo_test *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_cart_create(const dumpi_cart_create *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_dims_create(const dumpi_dims_create *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_graph_create(const dumpi_graph_create *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_graphdims_get(const dumpi_graphdims_get *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_graph_get(const dumpi_graph_get *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_cartdim_get(const dumpi_cartdim_get *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_cart_get(const dumpi_cart_get *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_cart_rank(const dumpi_cart_rank *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_cart_coords(const dumpi_cart_coords *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_graph_neighbors_count(const dumpi_graph_neighbors_count *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_graph_neighbors(const dumpi_graph_neighbors *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_cart_shift(const dumpi_cart_shift *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_cart_sub(const dumpi_cart_sub *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_cart_map(const dumpi_cart_map *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_graph_map(const dumpi_graph_map *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_get_processor_name(const dumpi_get_processor_name *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_get_version(const dumpi_get_version *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_errhandler_create(const dumpi_errhandler_create *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_errhandler_set(const dumpi_errhandler_set *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_errhandler_get(const dumpi_errhandler_get *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_errhandler_free(const dumpi_errhandler_free *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_error_string(const dumpi_error_string *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_error_class(const dumpi_error_class *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_wtime(const dumpi_wtime *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_wtick(const dumpi_wtick *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_init(const dumpi_init *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_finalize(const dumpi_finalize *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_initialized(const dumpi_initialized *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_abort(const dumpi_abort *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_close_port(const dumpi_close_port *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_accept(const dumpi_comm_accept *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_connect(const dumpi_comm_connect *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_disconnect(const dumpi_comm_disconnect *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_get_parent(const dumpi_comm_get_parent *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_join(const dumpi_comm_join *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_spawn(const dumpi_comm_spawn *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_spawn_multiple(const dumpi_comm_spawn_multiple *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_lookup_name(const dumpi_lookup_name *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_open_port(const dumpi_open_port *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_publish_name(const dumpi_publish_name *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_unpublish_name(const dumpi_unpublish_name *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_accumulate(const dumpi_accumulate *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_get(const dumpi_get *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_put(const dumpi_put *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_complete(const dumpi_win_complete *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_create(const dumpi_win_create *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_fence(const dumpi_win_fence *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_free(const dumpi_win_free *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_get_group(const dumpi_win_get_group *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_lock(const dumpi_win_lock *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_post(const dumpi_win_post *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_start(const dumpi_win_start *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_test(const dumpi_win_test *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_unlock(const dumpi_win_unlock *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_wait(const dumpi_win_wait *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_alltoallw(const dumpi_alltoallw *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_exscan(const dumpi_exscan *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_add_error_class(const dumpi_add_error_class *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_add_error_code(const dumpi_add_error_code *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_add_error_string(const dumpi_add_error_string *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_call_errhandler(const dumpi_comm_call_errhandler *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_create_keyval(const dumpi_comm_create_keyval *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_delete_attr(const dumpi_comm_delete_attr *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_free_keyval(const dumpi_comm_free_keyval *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_get_attr(const dumpi_comm_get_attr *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_get_name(const dumpi_comm_get_name *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_set_attr(const dumpi_comm_set_attr *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_set_name(const dumpi_comm_set_name *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_call_errhandler(const dumpi_file_call_errhandler *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_grequest_complete(const dumpi_grequest_complete *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_grequest_start(const dumpi_grequest_start *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_init_thread(const dumpi_init_thread *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_is_thread_main(const dumpi_is_thread_main *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_query_thread(const dumpi_query_thread *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_status_set_cancelled(const dumpi_status_set_cancelled *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_status_set_elements(const dumpi_status_set_elements *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_create_keyval(const dumpi_type_create_keyval *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_delete_attr(const dumpi_type_delete_attr *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_dup(const dumpi_type_dup *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_free_keyval(const dumpi_type_free_keyval *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_get_attr(const dumpi_type_get_attr *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_get_contents(const dumpi_type_get_contents *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_get_envelope(const dumpi_type_get_envelope *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_get_name(const dumpi_type_get_name *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_set_attr(const dumpi_type_set_attr *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_set_name(const dumpi_type_set_name *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_match_size(const dumpi_type_match_size *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_call_errhandler(const dumpi_win_call_errhandler *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_create_keyval(const dumpi_win_create_keyval *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_delete_attr(const dumpi_win_delete_attr *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_free_keyval(const dumpi_win_free_keyval *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_get_attr(const dumpi_win_get_attr *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_get_name(const dumpi_win_get_name *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_set_attr(const dumpi_win_set_attr *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_set_name(const dumpi_win_set_name *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_alloc_mem(const dumpi_alloc_mem *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_create_errhandler(const dumpi_comm_create_errhandler *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_get_errhandler(const dumpi_comm_get_errhandler *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_comm_set_errhandler(const dumpi_comm_set_errhandler *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_create_errhandler(const dumpi_file_create_errhandler *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_get_errhandler(const dumpi_file_get_errhandler *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_set_errhandler(const dumpi_file_set_errhandler *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_finalized(const dumpi_finalized *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_free_mem(const dumpi_free_mem *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_get_address(const dumpi_get_address *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_info_create(const dumpi_info_create *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_info_delete(const dumpi_info_delete *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_info_dup(const dumpi_info_dup *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_info_free(const dumpi_info_free *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_info_get(const dumpi_info_get *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_info_get_nkeys(const dumpi_info_get_nkeys *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_info_get_nthkey(const dumpi_info_get_nthkey *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_info_get_valuelen(const dumpi_info_get_valuelen *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_info_set(const dumpi_info_set *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_pack_external(const dumpi_pack_external *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_pack_external_size(const dumpi_pack_external_size *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_request_get_status(const dumpi_request_get_status *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_create_darray(const dumpi_type_create_darray *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_create_hindexed(const dumpi_type_create_hindexed *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_create_hvector(const dumpi_type_create_hvector *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_create_indexed_block(const dumpi_type_create_indexed_block *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_create_resized(const dumpi_type_create_resized *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_create_struct(const dumpi_type_create_struct *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_create_subarray(const dumpi_type_create_subarray *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_get_extent(const dumpi_type_get_extent *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_type_get_true_extent(const dumpi_type_get_true_extent *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_unpack_external(const dumpi_unpack_external *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_create_errhandler(const dumpi_win_create_errhandler *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_get_errhandler(const dumpi_win_get_errhandler *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_win_set_errhandler(const dumpi_win_set_errhandler *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_open(const dumpi_file_open *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_close(const dumpi_file_close *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_delete(const dumpi_file_delete *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_set_size(const dumpi_file_set_size *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_preallocate(const dumpi_file_preallocate *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_get_size(const dumpi_file_get_size *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_get_group(const dumpi_file_get_group *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_get_amode(const dumpi_file_get_amode *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_set_info(const dumpi_file_set_info *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_get_info(const dumpi_file_get_info *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_set_view(const dumpi_file_set_view *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_get_view(const dumpi_file_get_view *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_read_at(const dumpi_file_read_at *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_read_at_all(const dumpi_file_read_at_all *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_write_at(const dumpi_file_write_at *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_write_at_all(const dumpi_file_write_at_all *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_iread_at(const dumpi_file_iread_at *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_iwrite_at(const dumpi_file_iwrite_at *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_read(const dumpi_file_read *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_read_all(const dumpi_file_read_all *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_write(const dumpi_file_write *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_write_all(const dumpi_file_write_all *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_iread(const dumpi_file_iread *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_iwrite(const dumpi_file_iwrite *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_seek(const dumpi_file_seek *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_get_position(const dumpi_file_get_position *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_get_byte_offset(const dumpi_file_get_byte_offset *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_read_shared(const dumpi_file_read_shared *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_write_shared(const dumpi_file_write_shared *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_iread_shared(const dumpi_file_iread_shared *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_iwrite_shared(const dumpi_file_iwrite_shared *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_read_ordered(const dumpi_file_read_ordered *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_write_ordered(const dumpi_file_write_ordered *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_seek_shared(const dumpi_file_seek_shared *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_get_position_shared(const dumpi_file_get_position_shared *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_read_at_all_begin(const dumpi_file_read_at_all_begin *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_read_at_all_end(const dumpi_file_read_at_all_end *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_write_at_all_begin(const dumpi_file_write_at_all_begin *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_write_at_all_end(const dumpi_file_write_at_all_end *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_read_all_begin(const dumpi_file_read_all_begin *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_read_all_end(const dumpi_file_read_all_end *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_write_all_begin(const dumpi_file_write_all_begin *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_write_all_end(const dumpi_file_write_all_end *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_read_ordered_begin(const dumpi_file_read_ordered_begin *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_read_ordered_end(const dumpi_file_read_ordered_end *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_write_ordered_begin(const dumpi_file_write_ordered_begin *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_write_ordered_end(const dumpi_file_write_ordered_end *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_get_type_extent(const dumpi_file_get_type_extent *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_register_datarep(const dumpi_register_datarep *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_set_atomicity(const dumpi_file_set_atomicity *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_get_atomicity(const dumpi_file_get_atomicity *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_file_sync(const dumpi_file_sync *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpio_write_test(const dumpio_test *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpio_write_wait(const dumpio_wait *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpio_write_testall(const dumpio_testall *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpio_write_waitall(const dumpio_waitall *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpio_write_testany(const dumpio_testany *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpio_write_waitany(const dumpio_waitany *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpio_write_waitsome(const dumpio_waitsome *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpio_write_testsome(const dumpio_testsome *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_function_enter(const dumpi_func_call *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);
int dumpi_write_function_exit(const dumpi_func_call *prm, uint16_t thread, const dumpi_time *cpu,
    const dumpi_time *wall, const dumpi_perfinfo *perf, const dumpi_outputs *output, dumpi_profile *profile);

#ifdef __cplusplus
}
#endif
#endif
