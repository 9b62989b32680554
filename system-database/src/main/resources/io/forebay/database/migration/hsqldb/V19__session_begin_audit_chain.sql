-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- When a session began, which bounds how long it lasts, and where its user logged in from. An older version writes neither.
alter table forebay.admin_session add column if not exists begun_at timestamp(6) with time zone default current_timestamp not null;
alter table forebay.admin_session add column if not exists address varchar(100) default '' not null;

-- What the name of an actor is the name of, and the place of the entry in the chain of entries. An older version writes neither.
alter table forebay.audit add column if not exists actor_kind varchar(20) default '' not null;
alter table forebay.audit add column if not exists chain_number bigint;
alter table forebay.audit add column if not exists chain_hash varbinary(32);
alter table forebay.audit alter column target set data type varchar(2000);
alter table forebay.audit alter column reason set data type varchar(5000);
alter table forebay.audit alter column outcome set data type varchar(500);

-- Two instances that write at the same time cannot give the same number; one of them tries again.
create unique index if not exists audit_chain on forebay.audit (chain_number);
