/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What an operator sees of batch jobs, and may do with them. */
@NullMarked
package io.forebay.operations.jobs;

import org.jspecify.annotations.NullMarked;
