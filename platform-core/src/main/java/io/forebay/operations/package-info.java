/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What an operator sees and may do: views and commands, implemented by those who own what they
 * show.
 */
@NullMarked
package io.forebay.operations;

import org.jspecify.annotations.NullMarked;
