-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- How many statements per second a caller may send, by command of an operator; it holds for every instance and after a restart.
create table if not exists forebay.caller_limit (
  caller varchar(255) not null,
  per_second int not null,
  reason varchar(1000) not null,
  changed_by varchar(255) not null,
  changed_at timestamp(6) with time zone not null,
  ends_at timestamp(6) with time zone,
  primary key (caller)
);
