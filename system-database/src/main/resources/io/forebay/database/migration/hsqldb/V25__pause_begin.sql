-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- When the first of the pauses that replaced each other began, who began it, and the changed_at of the pause that this belongs to. Null: the pause replaced none. An older version writes none of them.
alter table forebay.service_state add column if not exists first_at timestamp(6) with time zone;
alter table forebay.service_state add column if not exists first_by varchar(255);
alter table forebay.service_state add column if not exists first_pause_of timestamp(6) with time zone;
