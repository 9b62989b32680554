/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The history of alerts, acknowledgements, and the webhook that reports alerts. */
@NullMarked
package io.forebay.admin.alerts;

import org.jspecify.annotations.NullMarked;
