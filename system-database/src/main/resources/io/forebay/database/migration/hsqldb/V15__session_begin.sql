-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- When a session began, which bounds how long it lasts, and where its user logged in from. An older version writes neither.
alter table forebay.admin_session add column if not exists begun_at timestamp(6) with time zone default current_timestamp not null;
alter table forebay.admin_session add column if not exists address varchar(100) default '' not null;
