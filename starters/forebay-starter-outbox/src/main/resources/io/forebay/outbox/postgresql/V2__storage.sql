-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- Every row is deleted soon: vacuum often, whatever the size of the table. Messages are not compressed: they are read once.
alter table forebay_outbox set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = -1);
alter table forebay_outbox alter column message set storage external;
