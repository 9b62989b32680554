-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- The secret with which instances prove to each other which messages they wrote.
create cached table if not exists forebay.sender_key (
  only_row smallint not null,
  secret varchar(100) not null,
  created_at timestamp(6) with time zone not null,
  primary key (only_row)
);
