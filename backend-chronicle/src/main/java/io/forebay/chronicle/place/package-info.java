/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** In which directories and on which volumes queues are, and who owns them. */
@NullMarked
package io.forebay.chronicle.place;

import org.jspecify.annotations.NullMarked;
