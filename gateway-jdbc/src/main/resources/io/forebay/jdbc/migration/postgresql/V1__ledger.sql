-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- Where each service stands in each partition. Updated first in every batch, by compare-and-set: a few rows, each
-- rewritten hundreds of times a second. Half of the page stays free, so that a new version of a row finds room beside the
-- old one (a HOT update, no index is touched) and the next update prunes the dead ones. Vacuum comes by count, as a
-- share of three rows says nothing, and never takes the exclusive lock that giving back pages needs.
create table forebay.progress (
  service varchar(100) not null,
  partition_id int not null,
  queue_id varchar(100) not null,
  next_position bigint not null,
  epoch bigint not null,
  owner varchar(200) not null,
  drained boolean not null,
  primary key (service, partition_id)
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 1000000,
  vacuum_truncate = false
);

-- What became of the statements of a batch; deleted when the out-queue is past them. A row comes and goes with every batch:
-- vacuum by count, or the index fills with entries of rows long gone.
create table forebay.outcome (
  service varchar(100) not null,
  partition_id int not null,
  to_position bigint not null,
  from_position bigint not null,
  outcomes bytea not null,
  primary key (service, partition_id, to_position)
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 100000,
  vacuum_truncate = false,
  toast.autovacuum_vacuum_scale_factor = 0,
  toast.autovacuum_vacuum_threshold = 5000,
  toast.autovacuum_vacuum_cost_delay = 0,
  toast.vacuum_truncate = false
);

-- One row per idempotency key.
create table forebay.request (
  client varchar(255) not null,
  idem_key varchar(255) not null,
  request_hash bytea not null,
  message_id uuid not null,
  service varchar(100) not null,
  partition_id int not null,
  position bigint not null,
  state varchar(10) not null,
  result bytea,
  created_at timestamp(6) with time zone not null,
  primary key (client, idem_key),
  constraint request_hash_length check (octet_length(request_hash) = 32),
  constraint request_message_id unique (message_id)
) with (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.02
);

-- Messages that got no business answer.
create table forebay.dead_letter (
  queue_id varchar(100) not null,
  partition_id int not null,
  position bigint not null,
  service varchar(100) not null,
  message_id uuid,
  reason varchar(40) not null,
  detail varchar(1000),
  payload bytea,
  created_at timestamp(6) with time zone not null,
  primary key (queue_id, partition_id, position)
);
