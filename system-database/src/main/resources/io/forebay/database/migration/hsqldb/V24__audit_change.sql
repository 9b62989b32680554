-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- What a command changed, a line for each field: its name, its value before and its value after, with tabs between them; and the number of the entry that it undoes. An older version writes neither.
alter table forebay.audit add column if not exists changes varchar(20000) default '' not null;
alter table forebay.audit add column if not exists undoes bigint;
