-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- The statements of a gateway in the catalogue of each instance, to compare them.
create table if not exists forebay.catalogue_digest (
  service varchar(100) not null,
  instance varchar(200) not null,
  seen_at timestamp(6) with time zone not null,
  digest varchar(36) not null,
  statements text not null,
  primary key (service, instance)
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000,
  vacuum_truncate = false
);
