-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- What failed and on what, by which failed statements are grouped. Null: SQL text, or nothing that the database named.
alter table forebay.failed_statement add column if not exists statement_name varchar(200);
alter table forebay.failed_statement add column if not exists failed_on varchar(500);
