/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Results as events, sent to many subscribers by one thread. */
@NullMarked
package io.forebay.jdbc.http.events;

import org.jspecify.annotations.NullMarked;
