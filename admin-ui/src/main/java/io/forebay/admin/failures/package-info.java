/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Failures in groups, and the replay of a whole group. */
@NullMarked
package io.forebay.admin.failures;

import org.jspecify.annotations.NullMarked;
