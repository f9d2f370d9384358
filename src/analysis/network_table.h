/* network_table.h: the table of what a replay has reckoned with: the parameters of a modelled network, given or not. */
#ifndef QUIPU_ANALYSIS_NETWORK_TABLE_H
#define QUIPU_ANALYSIS_NETWORK_TABLE_H

#include "analysis/network.h"

extern const struct quipu_table_column quipu__network_columns[4];
#define QUIPU__NETWORK_TABLE                                                                                   \
    { "network", "with a modelled network: its parameters", quipu__network_columns, 4 }

/* Adds the table with a row for each option of the network; nothing where it has none. */
enum quipu_status quipu__network_table_add(const struct quipu__network *network,
                                           const struct quipu__settings *settings,
                                           const struct quipu_analysis_table *shape,
                                           struct quipu_tables *tables, struct quipu_error *err);

#endif
