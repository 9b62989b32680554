-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- Messages of committed transactions that their services have not accepted yet. The types that differ are placeholders.
create ${table} if not exists forebay_outbox (
  id bigint generated always as identity (start with 1) primary key,
  service varchar(100) not null,
  partition_number int not null,
  message ${bytes} not null,
  created_at timestamp(6) with time zone default current_timestamp not null
);
