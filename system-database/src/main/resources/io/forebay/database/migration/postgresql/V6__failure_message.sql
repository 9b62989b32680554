-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- What the database said about a failed statement; it may contain values. Null: not known.
alter table forebay.failed_statement add column if not exists message varchar(500);
