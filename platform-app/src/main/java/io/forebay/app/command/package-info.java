/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What the commands of the jar share: their arguments, and the configuration of the service. */
@NullMarked
package io.forebay.app.command;

import org.jspecify.annotations.NullMarked;
