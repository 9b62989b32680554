/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The API of jobs. */
@NullMarked
package io.forebay.admin.jobs;

import org.jspecify.annotations.NullMarked;
