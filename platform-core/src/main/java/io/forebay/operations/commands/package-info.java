/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What commands in the audit were about. */
@NullMarked
package io.forebay.operations.commands;

import org.jspecify.annotations.NullMarked;
