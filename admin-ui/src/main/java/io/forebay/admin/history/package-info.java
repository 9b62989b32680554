/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What survives a restart: the recorded series, and when this instance ran. */
@NullMarked
package io.forebay.admin.history;

import org.jspecify.annotations.NullMarked;
