-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- Find the messages that operators set aside or discarded, and count and group the open and the replayed ones.
create index failed_message_decision on forebay.failed_message (service, decision, created_at) where decision is not null;
create index failed_message_open on forebay.failed_message (service, created_at) where replayed_as is null and decision is null;
create index failed_message_replayed on forebay.failed_message (service, created_at) where replayed_as is not null;

-- A row comes and goes with every batch: vacuum by count, or the index fills with entries of rows long gone.
alter table forebay.outcome set (
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

alter table forebay.request set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);

-- A few rows, each rewritten once a second.
alter table forebay.instance set (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_threshold = 1000000,
  vacuum_truncate = false,
  toast.autovacuum_vacuum_scale_factor = 0,
  toast.autovacuum_vacuum_threshold = 1000,
  toast.vacuum_truncate = false
);

alter table forebay.job_owner set (fillfactor = 50, vacuum_truncate = false);
