-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- The reason of the first of the pauses that replaced each other. Null: the pause replaced none, or an older version stored it.
alter table forebay.service_state add column if not exists first_reason varchar(1000);
