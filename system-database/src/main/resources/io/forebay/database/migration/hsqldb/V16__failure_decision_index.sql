-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- Finds the messages of a service that operators set aside or discarded: few among many.
create index if not exists dead_letter_decision on forebay.dead_letter (service, decision, created_at);
create index if not exists failed_statement_decision on forebay.failed_statement (service, decision, created_at);
