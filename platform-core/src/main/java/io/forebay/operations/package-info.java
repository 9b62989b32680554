/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What an operator sees and may do: views and commands, implemented by the owners of the services
 * and jobs.
 */
@NullMarked
package io.forebay.operations;

import org.jspecify.annotations.NullMarked;
