-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

create table job_rows (run varchar(20), number bigint);
