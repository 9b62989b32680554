/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The repository of Spring Batch in the system database, which process an execution belongs to, and
 * what an operator sees of jobs and may do. Begin with {@link
 * io.forebay.batch.jobs.JobsAutoConfiguration}.
 */
@NullMarked
package io.forebay.batch.jobs;

import org.jspecify.annotations.NullMarked;
