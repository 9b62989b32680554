/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The alerts of a day, and the webhook that reports their changes. */
@NullMarked
package io.forebay.admin.alerts;

import org.jspecify.annotations.NullMarked;
